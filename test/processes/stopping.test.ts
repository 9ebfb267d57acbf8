import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceEnvironment } from '../../scripts/bench/processes.ts';
import { DRAIN_GRACE_MS } from '../../src/service/drain.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { builtEntry } from '../support/built-entry.ts';
import { testEnvironment } from '../support/service-process.ts';
import { SHORT_PROCESS_OPTIONS } from '../support/short-lived.ts';

// Runs on SQLite only: the service has its default configuration.

/** A separate process, started like `npm start`, whose standard output the test controls. */
class Process {
  readonly #environment: ServiceEnvironment;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown[]>;
  readonly agent = new Agent({ keepAlive: true });

  private constructor(environment: ServiceEnvironment, main: string) {
    this.#environment = environment;
    const { env } = environment;
    this.child = spawn(process.execPath, [...SHORT_PROCESS_OPTIONS, main], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child.stdout?.resume();
    this.exited = once(this.child, 'exit');
  }

  static async start(): Promise<Process> {
    const made = new Process(await testEnvironment(), await builtEntry('main'));
    while (
      !(await made.call('GET', '/healthz').then(
        ({ status }) => status === 200,
        () => false,
      ))
    )
      await sleep(20);
    return made;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; connection: string; json: unknown }> {
    const { PORT, SITEFLEET_ADMIN_PASSWORD: password } = this.#environment.env;
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { authorization, ...(text && { 'content-type': 'application/json' }) };
    const request = httpRequest(`http://127.0.0.1:${PORT}${path}`, { method, headers, agent: this.agent }).end(text);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const json = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    return { status: answer.statusCode ?? 0, connection: answer.headers.connection ?? '', json };
  }

  /** True if the process accepts a new connection. */
  async takesCalls(): Promise<boolean> {
    const socket = connect(Number(this.#environment.env.PORT), '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  /** Sends SIGTERM. Returns the exit code, or a text if the process does not end before its grace period. */
  async end(): Promise<unknown> {
    this.child.kill('SIGTERM');
    const overdue = sleep(DRAIN_GRACE_MS, ['it stayed to the end of its grace'], { ref: false });
    const [code] = await Promise.race([this.exited, overdue]);
    return code;
  }

  async remove(): Promise<void> {
    this.child.kill('SIGKILL');
    this.agent.destroy();
    await this.exited;
    await this.#environment.remove();
  }
}

// Stopping does not depend on the database.
if (!process.env['TEST_DATABASE_URL'])
  describe('a process that receives SIGTERM', () => {
    let fleet: Fleet;
    let service: Process;
    before(async () => (fleet = await startFleet({ sites: 4 })));
    after(() => fleet.close());
    beforeEach(async () => (service = await Process.start()));
    afterEach(() => service.remove());

    const adding = (index: number) => {
      const { url, admin, adminPassword } = fleet.sites[index] ?? assert.fail();
      return service.call('POST', '/abilities/v1/svc/add-site-v1/run', {
        input: { url, admin, admin_password: adminPassword },
      });
    };

    it('when calls are running, then the process finishes them and exits', async () => {
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => (release = resolve));
      for (const site of fleet.sites) site.fault = { kind: 'delay', ms: { until }, function: 'stats' };
      const calls = fleet.sites.map((_, index) => adding(index));
      // All syncs are running before the signal, even if it arrives late on a busy machine.
      while (fleet.sites.some((site) => site.countOf('stats') === 0)) await sleep(10);
      const ending = service.end();
      while (await service.takesCalls()) await sleep(10);
      release();
      const answers = await Promise.all(calls);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      for (const { connection } of answers) assert.equal(connection, 'close');
      assert.equal(await ending, 0);
    });

    it('when the reader of the log is gone, then the service continues and still stops cleanly', async () => {
      service.child.stdout?.destroy();
      for (let round = 0; round < 5; round++) {
        assert.equal((await service.call('GET', '/api/v2/tags')).status, 200);
      }
      assert.equal(await service.end(), 0);
    });
  });
