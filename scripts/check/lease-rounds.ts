import { setTimeout as sleep } from 'node:timers/promises';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { DASHBOARD_URL, keyPairAt, loadKeyPool } from '../bench/keys.ts';
import { serviceEnvironment, startService, type BenchService, type ServiceEnvironment } from '../bench/processes.ts';
import { seedSites } from '../bench/seed.ts';
import { clockOffsetEnv } from '../support/clock-offset.ts';
import { createMariadbDatabase, startMariadb, type PrivateMariadb } from '../support/private-mariadb.ts';
import { findSentUpdates, findUpdatesSentTwice, releasePluginUpdates } from '../support/sent-updates.ts';

export const FAULTS = [
  'stop',
  'kill',
  'clock ahead',
  'clock behind',
  'clock step ahead',
  'clock step back',
  'database freeze',
] as const;
export type LeaseFault = (typeof FAULTS)[number];

const LEASE_MS = 10_000;
/** Difference of a wrong clock. Both ends are far outside a lease. */
const WRONG_BY_MS = 9 * LEASE_MS;
const OFFSETS: Partial<Record<LeaseFault, number>> = { 'clock ahead': WRONG_BY_MS, 'clock behind': -WRONG_BY_MS };
const STEPS: Partial<Record<LeaseFault, number>> = {
  'clock step ahead': WRONG_BY_MS,
  'clock step back': -WRONG_BY_MS,
};
/** Some plugins of the simulated fleet need a newer PHP, so their updates always fail. */
const REFUSED_BY_SITE = 'incompatible_php_required_version';
const PROCESSES = [0, 1] as const;
/** A job without progress for this long is stuck. */
const STUCK_AFTER = 90_000;
const START_ATTEMPTS = 10;

interface Options {
  sites: number;
  seed: number;
  /** Compiled entry of the service. Default: that of `npm run build`. */
  entry?: string;
}

interface Update {
  site_id: number;
  slug: string;
}

interface UpdateError extends Update {
  reason?: string;
}

interface Job {
  data: { status: string; processed: number; total: number; completed_at: string | null };
  items: { result: { updated?: Update[]; errors?: UpdateError[] } | null; error?: UpdateError | null }[];
}

/** Two services on one MariaDB, with a fleet whose sites record every request. */
export class DisturbedServices {
  readonly #fleet: Fleet;
  readonly #mariadb: PrivateMariadb;
  readonly #environments: ServiceEnvironment[];
  readonly #services: BenchService[] = [];
  readonly #entry: string | undefined;
  #random: number;

  private constructor(fleet: Fleet, mariadb: PrivateMariadb, environments: ServiceEnvironment[], options: Options) {
    this.#fleet = fleet;
    this.#mariadb = mariadb;
    this.#environments = environments;
    this.#entry = options.entry;
    this.#random = options.seed;
  }

  static async start(options: Options): Promise<DisturbedServices> {
    const pool = loadKeyPool();
    const primedKeys = (index: number) => ({
      publicKeyPem: keyPairAt(pool, index).publicKeyPem,
      server: DASHBOARD_URL,
      admin: 'admin',
    });
    const fleet = await startFleet({ sites: options.sites, latencyMs: 40, requestLog: 400, primedKeys });
    const mariadb = await startMariadb();
    const url = await createMariadbDatabase(mariadb, 'lease_test');
    const environments = [await serviceEnvironment(url), await serviceEnvironment(url)];
    const [first] = environments;
    for (const { env } of environments)
      Object.assign(env, {
        SITEFLEET_LEASE: String(LEASE_MS / 1000),
        SITEFLEET_SECRET_KEY: first?.env['SITEFLEET_SECRET_KEY'],
        LOG_LEVEL: 'error',
      });
    const urls = fleet.sites.map((site) => site.url);
    await seedSites(first?.env ?? {}, options.sites, urls, { tokens: false });
    const started = new DisturbedServices(fleet, mariadb, environments, options);
    for (const index of PROCESSES) await started.#restart(index);
    return started;
  }

  /** Runs updates on the whole fleet with one fault. Returns what the records of the sites prove against it. */
  async runRound(round: number, wanted?: LeaseFault): Promise<{ fault: LeaseFault; problems: string[] }> {
    const fault = wanted ?? FAULTS[Math.floor(this.#next() * FAULTS.length)] ?? 'stop';
    const victim = this.#next() < 0.5 ? 0 : 1;
    const hasClock = fault in OFFSETS || fault in STEPS;
    if (hasClock) await this.#restart(victim, OFFSETS[fault], STEPS[fault]);
    releasePluginUpdates(this.#fleet, `9.${round}.0`);
    await this.#finishedJob(await this.#run(1 - victim, 'sync-sites-v1', {}));
    const expected = await this.#waitingUpdates();
    const jobId = await this.#run(1 - victim, 'run-updates-v1', { types: ['plugins'] });
    await sleep(this.#next() * 2_000);
    await this.#disturb(fault, victim);
    const job = await this.#finishedJob(jobId);
    if (hasClock) await this.#restart(victim);
    await this.#untilIdle();
    return { fault, problems: this.#problemsOf(job, expected) };
  }

  async close(): Promise<void> {
    for (const service of this.#services) await service.stop();
    for (const { remove } of this.#environments) await remove();
    await this.#fleet.close();
    await this.#mariadb.stop();
  }

  async #disturb(fault: LeaseFault, victim: number): Promise<void> {
    const { pid, exited } = this.#service(victim);
    if (fault === 'stop') {
      process.kill(pid, 'SIGSTOP');
      await sleep(LEASE_MS * (1.2 + this.#next()));
      process.kill(pid, 'SIGCONT');
    } else if (fault === 'kill') {
      process.kill(pid, 'SIGKILL');
      await exited;
      await this.#restart(victim);
    } else if (fault in STEPS) {
      process.kill(pid, 'SIGUSR2');
      await sleep(LEASE_MS * this.#next());
      process.kill(pid, 'SIGUSR2');
    } else if (fault === 'database freeze') {
      this.#mariadb.freeze();
      await sleep(500 + 2_500 * this.#next());
      this.#mariadb.thaw();
    }
  }

  #problemsOf({ data, items }: Job, expected: readonly string[]): string[] {
    const problems: string[] = [];
    if (data.processed !== this.#fleet.sites.length) problems.push(`the job ended with ${JSON.stringify(data)}`);
    const twice = findUpdatesSentTwice(this.#fleet);
    if (twice.length > 0) problems.push(`${twice.length} updates were sent twice: ${twice.slice(0, 3).join(', ')}`);
    const updated = items.flatMap(({ result }) => result?.updated ?? []).map(nameOf);
    const errors = items.flatMap(({ result, error }) => result?.errors ?? (error ? [error] : []));
    const refusedNames = errors.filter(({ reason }) => reason === REFUSED_BY_SITE).map(nameOf);
    const disturbed = errors.filter(({ reason }) => reason !== REFUSED_BY_SITE);
    if (disturbed.length > 0) problems.push(`${disturbed.length} errors: ${JSON.stringify(disturbed.slice(0, 3))}`);
    const sent = new Set(findSentUpdates(this.#fleet));
    const unsent = updated.filter((name) => !sent.has(name));
    if (unsent.length > 0) problems.push(`${unsent.length} updates reached no site: ${unsent.slice(0, 3).join(', ')}`);
    const results = [...updated, ...refusedNames];
    const lost = expected.filter((name) => !results.includes(name));
    if (lost.length > 0) problems.push(`${lost.length} updates are lost: ${lost.slice(0, 3).join(', ')}`);
    if (new Set(results).size !== results.length) problems.push('an update has two results');
    return problems;
  }

  async #restart(index: number, clockOffsetMs = 0, clockStepMs = 0): Promise<void> {
    const env = this.#environments[index]?.env ?? {};
    await this.#services[index]?.stop();
    const all = { ...env, ...clockOffsetEnv(clockOffsetMs, clockStepMs) };
    for (let attempt = 1; ; attempt++)
      try {
        this.#services[index] = await startService(all, [], this.#entry);
        return;
      } catch (error) {
        // An outgoing connection of another process may have the port for a moment.
        if (attempt === START_ATTEMPTS) throw error;
        await sleep(1_000);
      }
  }

  /** Waits until no process works on an item. */
  async #untilIdle(): Promise<void> {
    for (const { url } of this.#services)
      for (;;) {
        const text = await (await fetch(`${url}/metrics`)).text();
        if (/^sitefleet_queue_running 0$/m.test(text) && /^sitefleet_queue_ready 0$/m.test(text)) break;
        await sleep(100);
      }
  }

  async #waitingUpdates(): Promise<string[]> {
    const names: string[] = [];
    for (let page = 1; ; page++) {
      const { updates } = await this.#post(0, 'list-updates-v1', { types: ['plugins'], per_page: 100, page });
      names.push(...(updates as Update[]).map(nameOf));
      if ((updates as Update[]).length < 100) return names;
    }
  }

  async #run(index: number, ability: string, input: object): Promise<string> {
    return String((await this.#post(index, ability, input))['job_id']);
  }

  async #post(index: number, ability: string, input: object): Promise<Record<string, unknown>> {
    return this.#call(index, 'POST', `/abilities/v1/svc/${ability}/run`, { input });
  }

  async #finishedJob(jobId: string): Promise<Job> {
    let [processed, until] = [-1, 0];
    for (;;) {
      const job = (await this.#call(0, 'GET', `/api/v2/jobs/${jobId}?per_page=500`)) as unknown as Job;
      if (job.data.completed_at !== null) return job;
      if (job.data.processed !== processed) [processed, until] = [job.data.processed, Date.now() + STUCK_AFTER];
      if (Date.now() > until) throw new Error(`The job ${jobId} is stuck: ${JSON.stringify(job.data)}`);
      await sleep(200);
    }
  }

  async #call(index: number, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const { url, authorization } = this.#service(index);
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  #service(index: number): BenchService {
    const service = this.#services[index];
    if (!service) throw new Error(`There is no service ${index}.`);
    return service;
  }

  /** Seeded, so that a run can be repeated. */
  #next(): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return this.#random / 2 ** 32;
  }
}

const nameOf = ({ site_id, slug }: Update): string => `${site_id} ${slug}`;
