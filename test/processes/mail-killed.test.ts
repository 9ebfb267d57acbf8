import assert from 'node:assert/strict';
import type { BenchService } from '../../scripts/bench/processes.ts';
import { openDatabase } from '../../src/db/database.ts';
import { FakeMailServer } from '../support/mail.ts';
import { startBuiltService, testEnvironment } from '../support/service-process.ts';
import { eventually } from '../support/until.ts';

describe('a service that is killed while it sends a mail', () => {
  let server: FakeMailServer;
  let service: BenchService;
  let remove: () => Promise<void>;
  let env: Record<string, string>;

  const start = async (): Promise<void> => {
    service = await startBuiltService(env);
  };
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: service.authorization, 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.equal(answer.status, 200, `${method} ${path}`);
    // The contract's own tests look at these answers.
    // oxlint-disable-next-line typescript/no-explicit-any
    return ((await answer.json()) as any).data;
  };
  /** Returns the only mail. */
  const mail = async () => (await call('GET', '/api/v2/outbox'))[0];

  beforeEach(async () => {
    server = await new FakeMailServer().start();
    const environment = await testEnvironment();
    remove = environment.remove;
    env = environment.env;
  });
  afterEach(async () => {
    await service.stop();
    await server.close();
    await remove();
  });

  /** Starts to send, and kills the process when the mail server has reached this point. */
  async function killAt(point: 'beforeRecipient' | 'beforeConfirming'): Promise<() => void> {
    env['SMTP_URL'] = server.url;
    await start();
    let goOn = (): void => undefined;
    const reached = new Promise<void>((resolve) => {
      server[point] = () => {
        resolve();
        return new Promise((go) => (goOn = go));
      };
    });
    await call('PUT', '/api/v2/settings/emails/daily_digest/edit', { recipients: 'ops@example.com' });
    const url = 'http://127.255.0.1:9/';
    const file = `${env['SITEFLEET_DATA_DIR']}/sitefleet.db`;
    const database = openDatabase({ dialect: 'sqlite', file });
    const now = Date.now();
    await database.knex('sites').insert({
      url,
      url_key: '127.255.0.1:9',
      name: 'Gone',
      name_key: 'gone',
      status: 'disconnected',
      created_at: now,
      updated_at: now,
    });
    await database.close();
    await call('POST', '/api/v2/schedules/daily-digest/run');
    await reached;
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    server[point] = async () => undefined;
    return () => goOn();
  }

  it('when the mail server cannot have the mail yet, then the mail is sent once after the restart', async () => {
    const release = await killAt('beforeRecipient');
    release();
    await start();
    await eventually(async () => (await mail()).state === 'sent', 'the mail to be sent');
    assert.equal((await mail()).attempts, 2);
    assert.equal(server.received.length, 1);
  });

  it('when the mail server may have the mail, then the mail is not resent automatically', async () => {
    const release = await killAt('beforeConfirming');
    release();
    await start();
    await eventually(async () => (await mail()).state === 'failed', 'the mail to be given up');
    assert.equal((await mail()).error.code, 'outcome_unknown');
    assert.equal(server.received.length, 1);
    await call('POST', `/api/v2/outbox/${(await mail()).id}/resend`);
    await eventually(async () => (await mail()).state === 'sent', 'the mail to be sent again');
    assert.deepEqual(
      server.received.map(({ mail: { messageId } }) => messageId),
      Array(2).fill((await mail()).message_id),
    );
  });
});
