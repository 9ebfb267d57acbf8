import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from '../../scripts/bench/keys.ts';
import type { BenchService, ServiceEnvironment } from '../../scripts/bench/processes.ts';
import { clockOffsetEnv } from '../../scripts/support/clock-offset.ts';
import { seedSites } from '../../scripts/bench/seed.ts';
import { createDatabase, dropDatabase } from '../../scripts/support/server-database.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { startBuiltService, testEnvironment } from './service-process.ts';
import { FakeMailServer } from './mail.ts';
import { loggedErrors, noteLogLine } from './service-errors.ts';
import { eventually } from './until.ts';

/** The MariaDB of the tests. Several services can only share a database there. */
export const sharedServer = (): string => process.env['TEST_DATABASE_URL'] ?? '';

// The contract tests check these bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** The shortest lease that works on a busy machine. A test that kills a process waits for its end. */
const LEASE = { SITEFLEET_LEASE: '10' };

interface FleetOptions {
  sites: number;
  latencyMs?: number;
  env?: Record<string, string>;
  /** Differences of the processes' clocks from the real time, in milliseconds. Default: none. */
  clockOffsets?: readonly number[];
  /** Entry of the services. Default: `main`. */
  entry?: 'main' | 'main-without-https';
  /** False leaves the sites without known tokens. The first sync then requests them. */
  tokens?: boolean;
}

/** Services in processes of their own with one fleet of connected sites: two services on MariaDB, one on SQLite. */
export class ServiceFleet {
  readonly fleet: Fleet;
  readonly services: BenchService[] = [];
  readonly #environments: ServiceEnvironment[];
  readonly #drop: () => Promise<void>;
  readonly #entry: 'main' | 'main-without-https';
  #database: Database | null = null;

  private constructor(
    fleet: Fleet,
    environments: ServiceEnvironment[],
    drop: () => Promise<void>,
    entry: 'main' | 'main-without-https',
  ) {
    this.fleet = fleet;
    this.#entry = entry;
    this.#environments = environments;
    this.#drop = drop;
  }

  static async start(options: FleetOptions) {
    const { sites, latencyMs = 20, env: extra = {}, tokens = true, clockOffsets = [] } = options;
    const pool = loadKeyPool();
    const primedKeys = (index: number) => ({
      publicKeyPem: keyPairAt(pool, index).publicKeyPem,
      server: DASHBOARD_URL,
      admin: 'admin',
    });
    const [databaseUrl, drop] = await freshDatabase();
    const fleet = await startFleet({ sites, latencyMs, primedKeys, requestLog: 400 });
    const environments = [await testEnvironment(databaseUrl)];
    if (databaseUrl) environments.push(await testEnvironment(databaseUrl));
    for (const { env } of environments)
      Object.assign(env, LEASE, extra, { SITEFLEET_SECRET_KEY: environments[0]?.env['SITEFLEET_SECRET_KEY'] });
    for (const [index, offset] of clockOffsets.entries())
      Object.assign(environments[index]?.env ?? {}, clockOffsetEnv(offset));
    await seedSites(
      environments[0]?.env ?? {},
      sites,
      fleet.sites.map((site) => site.url),
      { tokens },
    );
    const started = new ServiceFleet(fleet, environments, drop, options.entry ?? 'main');
    for (const index of environments.keys()) await started.restart(index);
    return started;
  }

  /** A connection to the database of the services. */
  get knex(): Knex {
    const { DATABASE_URL: url, SITEFLEET_DATA_DIR: folder } = this.#environments[0]?.env ?? {};
    this.#database ??= openDatabase(
      url ? { dialect: 'mysql', url, poolSize: 2 } : { dialect: 'sqlite', file: `${folder}/sitefleet.db` },
    );
    return this.#database.knex;
  }

  async request(index: number, method: string, path: string, body?: object): Promise<Json> {
    const { status, text } = await this.#send(index, method, path, body);
    if (status >= 500) for (const line of this.#service(index).errors().join('').split('\n')) noteLogLine(line);
    const cause = status >= 500 ? loggedErrors() : '';
    assert.equal(status, 200, `${method} ${path}: ${text.slice(0, 1500)}${cause}`);
    return JSON.parse(text);
  }

  /**
   * Starts a run of a schedule and returns the data of the response, which is null if there is nothing to do. If the
   * schedule has just started a run by itself, waits for the end of that run first, because it may have begun before
   * the changes of the test.
   */
  async runSchedule(index: number, name: string): Promise<Json> {
    const path = `/api/v2/schedules/${name}/run`;
    const { status, text } = await this.#send(index, 'POST', path);
    const { code, data } = JSON.parse(text);
    if (code !== 'svc_schedule_running') {
      assert.equal(status, 200, `POST ${path}: ${text}`);
      return data;
    }
    await this.finishedJob(index, data.job_id);
    return this.runSchedule(index, name);
  }

  #service(index: number): BenchService {
    return this.services[index] ?? assert.fail(`service ${index}`);
  }

  async #send(index: number, method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const { url, authorization } = this.#service(index);
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return { status: answer.status, text: await answer.text() };
  }

  /** Waits for the end of a job. Returns it with its items. */
  async finishedJob(index: number, jobId: string, timeoutMs = 240_000): Promise<Json> {
    const read = (items: number) => this.request(index, 'GET', `/api/v2/jobs/${jobId}?per_page=${items}`);
    await eventually(async () => (await read(1)).data.completed_at !== null, `the job ${jobId} to end`, timeoutMs);
    return read(500);
  }

  /** Kills a process with SIGKILL. */
  async kill(index: number): Promise<void> {
    const { pid, exited } = this.#service(index);
    process.kill(pid, 'SIGKILL');
    await exited;
  }

  /** Starts a service, for the first time or again. */
  async restart(index: number): Promise<void> {
    const { env } = this.#environments[index] as { env: Record<string, string> };
    this.services[index] = await startBuiltService(env, this.#entry);
  }

  async close(): Promise<void> {
    for (const service of this.services) await service.stop();
    await this.#database?.close();
    for (const { remove } of this.#environments) await remove();
    await this.fleet.close();
    await this.#drop();
  }
}

async function freshDatabase(): Promise<[string | undefined, () => Promise<void>]> {
  const shared = sharedServer();
  if (!shared) return [undefined, () => Promise.resolve()];
  const made = await createDatabase(shared);
  return [made.url, () => dropDatabase(made)];
}

/** Gives a suite services that send mails to a test server. */
export function withMailedFleet(
  options: Omit<FleetOptions, 'env'>,
  take: (started: { services: ServiceFleet; mails: FakeMailServer }) => void,
): void {
  let mails: FakeMailServer;
  let services: ServiceFleet;
  before(async () => {
    mails = await new FakeMailServer().start();
    services = await ServiceFleet.start({ ...options, env: { SMTP_URL: mails.url } });
    take({ services, mails });
  });
  after(async () => {
    await services.close();
    await mails.close();
  });
}
