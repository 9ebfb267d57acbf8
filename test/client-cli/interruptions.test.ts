import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { respondJson, runCommand, type Respond } from './support.ts';

/** Responds to the check of the credential, and to no other call. */
const stopsResponding: Respond = (response, attempt) => {
  if (attempt === 1) respondJson(response, { data: [] });
};

describe('client CLI with a timeout', () => {
  it('when a list has many pages, then the timeout applies to all of them together', async () => {
    const { code, err } = await runCommand('sites list --timeout 0.3 --limit 1000', {
      respond: (response, attempt) => {
        const items = [{ id: attempt, name: 'a', url: 'https://a.example/', status: 'connected' }];
        setTimeout(() => respondJson(response, { items, total: 20, page: attempt, per_page: 1 }), 50);
      },
    });
    assert.deepEqual([code, err], [4, 'The command did not end within 300 ms.\n']);
  });

  it('when the service stops responding to the contract checks, then they end with exit code 4', async () => {
    const { code, err } = await runCommand('verify --timeout 0.3', { respond: stopsResponding });
    assert.deepEqual([code, err], [4, 'The command did not end within 300 ms.\n']);
  });

  it('when a download takes too long, then the exit code is 4', async () => {
    const { code, err } = await runCommand('call time_tracker_tasks_export --timeout 0.3', {
      respond: (response) => {
        response.writeHead(200, { 'content-type': 'text/csv' }).write('id,title');
        setTimeout(() => response.end(), 1_000);
      },
    });
    assert.deepEqual([code, err], [4, 'The command did not end within 300 ms.\n']);
  });
});

describe('client CLI that is interrupted', () => {
  it('when the contract checks are interrupted, then they end at once with exit code 130', async () => {
    const controller = new AbortController();
    const { code } = await runCommand('verify', {
      signal: controller.signal,
      respond: (response, attempt, request) => {
        stopsResponding(response, attempt, request);
        if (attempt === 2) controller.abort();
      },
    });
    assert.equal(code, 130);
  });

  const addProfile = 'profiles add work --url http://127.0.0.1:1';

  /** Standard input that is a terminal, where somebody presses these keys. */
  function typing(keys: string): NodeJS.ReadStream {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => terminal });
    setImmediate(() => terminal.write(keys));
    return terminal as unknown as NodeJS.ReadStream;
  }

  it('when Ctrl-D is pressed at the prompt for a secret, then the exit code is 2', async () => {
    const { code, err } = await runCommand(addProfile, { stdin: typing('\u0004'), isTerminal: true });
    assert.deepEqual([code, /\nNo secret was typed\.\n/.test(err)], [2, true], err);
  });

  it('when Ctrl-C is pressed at the prompt for a secret, then the exit code is 130', async () => {
    assert.equal((await runCommand(addProfile, { stdin: typing('ab\u0003'), isTerminal: true })).code, 130);
  });

  it('when the process is stopped while it reads a secret or its input, then the exit code is 130', async () => {
    for (const [line, stdin] of [
      [addProfile, typing('')],
      [addProfile, undefined],
      ['call batch_run --json-input -', undefined],
    ] as const) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      const { code } = await runCommand(line, { signal: controller.signal, ...(stdin && { stdin }) });
      assert.equal(code, 130, line);
    }
  });
});

describe('client CLI at a terminal', () => {
  it('when a file cannot be shown there, then its download ends', async function () {
    this.timeout(10_000);
    let closed: Promise<unknown> = Promise.resolve();
    const { code, err } = await runCommand('call pro_reports_get id_or_domain=1 format=pdf', {
      isTerminal: true,
      respond: (response) => {
        closed = once(response, 'close');
        response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF-1.7');
      },
      afterwards: () => closed,
    });
    assert.deepEqual([code, /To save it, pass --output/.test(err)], [2, true], err);
  });
});
