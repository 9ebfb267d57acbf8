import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchDatabase } from './databases.ts';
import { serviceEnvironment, startScript, startService, type RunningProcess, type BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { seedSites } from './seed.ts';

export const LATENCY_MS = 50;
export const CONCURRENCY = 32;
/** Number of sites that hang after a signal to `fleet.ts`. */
const HANGING = 10;
const READ_DEADLINE = 120_000;
/** Time after which V8 has returned the memory of the start. */
const IDLE_MS = 40_000;

export async function runAbility(
  service: BenchService,
  ability: string,
  input: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/abilities/v1/svc/${ability}/run`, {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${ability}: ${JSON.stringify(body)}`);
  return body;
}

interface JobState {
  completed_at: string | null;
  processed: number;
  failed: number;
}

async function jobOf(service: BenchService, id: string): Promise<JobState> {
  const response = await fetch(`${service.url}/api/v2/jobs/${id}?per_page=1`, {
    headers: { authorization: service.authorization },
  });
  return ((await response.json()) as { data: JobState }).data;
}

export async function waitForJob(
  service: BenchService,
  id: string,
  pollMs = 50,
): Promise<{ failed: number; ms: number }> {
  for (;;) {
    const { completed_at, failed } = await jobOf(service, id);
    if (completed_at !== null) return { failed, ms: performance.now() };
    await sleep(pollMs);
  }
}

/** Starts fleet and service for `count` sites. `prepare` adds to the database before the service starts. */
export async function startFleetAndService(
  count: number,
  databaseUrl?: string,
  addresses?: number,
  more: string[] = [],
  prepare: (env: Record<string, string>) => Promise<void> = () => Promise.resolve(),
) {
  const fleet = await startScript('fleet.ts', [
    String(count),
    String(LATENCY_MS),
    addresses ? String(addresses) : '',
    ...more,
  ]);
  const urls = JSON.parse(fleet.url) as string[];
  const { env, remove } = await serviceEnvironment(databaseUrl);
  await seedSites(env, count, urls);
  await prepare(env);
  const service = await startService(env);
  return {
    fleet,
    service,
    urls,
    end: async () => {
      await service.stop();
      await fleet.stop();
      await remove();
    },
  };
}

/** Measures start time, idle memory, and a sync of 200 sites in one call. */
export async function syncInline(): Promise<void> {
  const { service, end } = await startFleetAndService(200);
  try {
    addFigure({
      name: 'start to the first good answer',
      value: service.startMs,
      unit: 'ms',
      must: { limit: 3_000, better: 'lower' },
    });
    addFigure({ name: 'processor time of a start', value: service.cpu() * 1000, unit: 'ms' });
    await sleep(IDLE_MS);
    addFigure({ name: 'memory when idle', value: service.rss(), unit: 'MB', must: { limit: 140, better: 'lower' } });
    const ideal = (200 * LATENCY_MS) / CONCURRENCY;
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const began = performance.now();
      const { total_synced } = await runAbility(service, 'sync-sites-v1', {});
      times.push(performance.now() - began);
      if (total_synced !== 200) throw new Error(`Only ${String(total_synced)} sites were synced.`);
    }
    addFigure({
      name: 'first sync of 200 sites of 50 ms in one call',
      value: (times[0] ?? 0) / ideal,
      unit: 'ratio',
      baseline: `${ideal.toFixed(0)} ms, 32 at once`,
    });
    addFigure({
      name: 'sync of 200 sites of 50 ms in one call',
      value: median(times) / ideal,
      unit: 'ratio',
      baseline: `${ideal.toFixed(0)} ms, 32 at once`,
      must: { limit: 2, better: 'lower' },
    });
  } finally {
    await end();
  }
}

/** Measures 1,000 sites: with an address each, with ten sites that hang, and all on one address. */
export async function syncFleet(): Promise<void> {
  const ideal = (1_000 * LATENCY_MS) / CONCURRENCY;
  const { fleet, service, end } = await startFleetAndService(1_000);
  try {
    const cpu = service.cpu();
    const began = performance.now();
    const { job_id } = await runAbility(service, 'sync-sites-v1', {});
    const { failed, ms } = await waitForJob(service, String(job_id));
    const used = (service.cpu() - cpu) * 1000;
    if (failed > 0) throw new Error(`${failed} sites failed.`);
    addFigure({
      name: 'sync of 1,000 sites of 50 ms',
      value: (ms - began) / (1.5 * ideal + used),
      unit: 'ratio',
      baseline: `1.5 x ${ideal.toFixed(0)} ms + ${used.toFixed(0)} ms of CPU`,
      must: { limit: 1, better: 'lower' },
    });
    await syncWithHanging(fleet, service, ideal);
  } finally {
    await end();
  }
  const one = await startFleetAndService(200, undefined, 1);
  try {
    const cpu = one.service.cpu();
    const began = performance.now();
    await runAbility(one.service, 'sync-sites-v1', {});
    const taken = performance.now() - began;
    const used = (one.service.cpu() - cpu) * 1000;
    const bound = (200 * LATENCY_MS) / 4;
    addFigure({
      name: 'sync of 200 sites on one address, 4 at once',
      value: taken / (1.5 * bound + used),
      unit: 'ratio',
      baseline: `1.5 x ${bound} ms + ${used.toFixed(0)} ms of CPU`,
      must: { limit: 1, better: 'lower' },
    });
    addFigure({
      name: 'the same beside what the limit of the address allows',
      value: taken / bound,
      unit: 'ratio',
      baseline: `${bound} ms`,
      must: { limit: 1, better: 'higher' },
      isBound: true,
    });
  } finally {
    await one.end();
  }
}

/** Measures the same fleet if ten sites accept the call and never answer. */
async function syncWithHanging(fleet: RunningProcess, service: BenchService, ideal: number): Promise<void> {
  process.kill(fleet.pid, 'SIGUSR2');
  await sleep(500);
  const cpu = service.cpu();
  const began = performance.now();
  const { job_id } = await runAbility(service, 'sync-sites-v1', {});
  const id = String(job_id);
  while ((await jobOf(service, id)).processed < 1_000 - HANGING) await sleep(50);
  const others = performance.now() - began;
  const used = (service.cpu() - cpu) * 1000;
  addFigure({
    name: `sync of the others while ${HANGING} of the 1,000 sites hang`,
    value: others / (1.5 * ideal + used),
    unit: 'ratio',
    baseline: `1.5 x ${ideal.toFixed(0)} ms + ${used.toFixed(0)} ms of CPU`,
    must: { limit: 1, better: 'lower' },
  });
  const { failed, ms } = await waitForJob(service, id);
  if (failed !== HANGING) throw new Error(`${failed} sites failed, and not the ${HANGING} that hang.`);
  addFigure({
    name: 'what the hanging ones add',
    value: (ms - began - others) / READ_DEADLINE,
    unit: 'ratio',
    baseline: `${READ_DEADLINE / 1000} s, the deadline of a read`,
    // A turn of the queue and of this poll adds some time.
    must: { limit: 1.02, better: 'lower' },
  });
}

const LARGE = 10_000;
/** Each poll counts the items of the job, and should not show in the figures. */
const LARGE_POLL_MS = 500;
/** The guide for operators names 460 MB, of which 90 MB are the parsed keys of the sites. */
const MOST_MEMORY_MB = 480;
/** Time in which a process changes the state of all sites. */
const EDITORS_WORK_MS = 5_000;

/** Milliseconds of processor time per site that the first and the second sync of a large fleet may take. */
const MOST_PER_SITE: Readonly<Record<BenchDatabase['name'], readonly [first: number, second: number]>> = {
  SQLite: [3.2, 1.5],
  MariaDB: [4, 2],
};
/** Milliseconds per site that `bare-sync.ts` took on the machine for which `MOST_PER_SITE` was set. */
const BARE_PER_SITE = 1.3;

/** Measures 10,000 sites: processor time and memory of syncs, and the response times of other callers during one. */
export async function syncLarge(name: BenchDatabase['name'], databaseUrl?: string): Promise<void> {
  const { fleet, service, urls, end } = await startFleetAndService(LARGE, databaseUrl);
  const target = { url: `${service.url}/abilities/v1/svc/list-sites-v1/run`, authorization: service.authorization };
  let highest = 0;
  const watch = setInterval(() => (highest = Math.max(highest, service.rss())), 200);
  try {
    const [first, second] = MOST_PER_SITE[name];
    const syncs: { order: string; value: number; most?: number }[] = [];
    const orders: readonly LargeSync[] = [
      { order: 'first sync', most: first },
      // A child looks for abandoned plugins after its first sync, so the second sync stores one section of every site.
      { order: 'second sync, one section changed,', most: second },
      { order: 'unchanged sync' },
      { order: 'sync after an editor worked on each site', prepare: () => letEditorsWork(fleet) },
    ];
    for (const { order, most, prepare } of orders) {
      await prepare?.();
      const figure = await processorTimePerSite(service);
      addFigure({
        name: `processor time per site of the ${order} of 10,000 sites, ${name}`,
        ...figure,
        ...(most && { must: { limit: most, better: 'lower' } }),
      });
      syncs.push({ order, value: figure.value, ...(most && { most }) });
    }
    await lightLoadP99(target.url, target.authorization, 3);
    const idle = await lightLoadP99(target.url, target.authorization, 5);
    const { job_id } = await runAbility(service, 'sync-sites-v1', {});
    const busy = await lightLoadP99(target.url, target.authorization, 8);
    const { failed } = await waitForJob(service, String(job_id));
    if (failed > 0) throw new Error(`${failed} sites failed.`);
    const bare = await bareTimePerSite(service, urls);
    for (const { order, value, most } of syncs)
      addFigure({
        name: `the ${order} beside a bare loop, ${name}`,
        value: value / bare.perSite,
        unit: 'ratio',
        baseline: `${bare.perSite.toFixed(2)} ms a site with got, a signature and an insert; ${bare.bytes} bytes each`,
        ...(most && { must: { limit: most / BARE_PER_SITE, better: 'lower' } }),
      });
    addFigure({
      name: `the least that an unchanged sync needs, beside a bare loop, ${name}`,
      value: bare.unchangedPerSite / bare.perSite,
      unit: 'ratio',
      baseline: `${bare.unchangedPerSite.toFixed(2)} ms a site: the response parsed, its hash compared, a row updated`,
    });
    addFigure({
      name: `highest memory during it, ${name}`,
      value: highest,
      unit: 'MB',
      must: { limit: MOST_MEMORY_MB, better: 'lower' },
    });
    addFigure({
      name: `p99 of list-sites during it, ${name}`,
      value: busy / idle,
      unit: 'ratio',
      baseline: `${idle.toFixed(1)} ms when idle`,
      must: { limit: 5, better: 'lower' },
    });
  } finally {
    clearInterval(watch);
    await end();
  }
}

interface LargeSync {
  order: string;
  /** Milliseconds of processor time per site. */
  most?: number;
  prepare?: () => Promise<void>;
}

/** Changes each site of a fleet as `fleet.ts` describes, so that its next report has new entries of both logs. */
async function letEditorsWork(fleet: RunningProcess): Promise<void> {
  process.kill(fleet.pid, 'SIGHUP');
  await sleep(EDITORS_WORK_MS);
}

/** Syncs all sites of a large fleet, with no other caller. */
async function processorTimePerSite(service: BenchService): Promise<{ value: number; unit: 'ms'; baseline: string }> {
  const [cpu, began] = [service.cpu(), performance.now()];
  const { job_id } = await runAbility(service, 'sync-sites-v1', {});
  const { failed, ms } = await waitForJob(service, String(job_id), LARGE_POLL_MS);
  if (failed > 0) throw new Error(`${failed} sites failed.`);
  const ideal = (LARGE * LATENCY_MS) / CONCURRENCY / 1000;
  return {
    value: ((service.cpu() - cpu) * 1000) / LARGE,
    unit: 'ms',
    baseline: `took ${((ms - began) / 1000).toFixed(1)} s; ${ideal.toFixed(1)} s with 32 at once`,
  };
}

/** Output of `bare-sync.ts`. Times are in milliseconds. */
interface BareSync {
  perSite: number;
  unchangedPerSite: number;
  bytes: number;
}

/** Syncs the same sites with `bare-sync.ts`, with rows in the database of the service. */
async function bareTimePerSite({ env }: BenchService, urls: readonly string[]): Promise<BareSync> {
  const file = join(env['SITEFLEET_DATA_DIR'] ?? '', 'bare-urls.json');
  await writeFile(file, JSON.stringify(urls));
  const script = join(import.meta.dirname, 'bare-sync.ts');
  const args = ['--import=tsx', script, file, String(CONCURRENCY)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as BareSync;
}

/** Returns the p99 latency of a caller that sends a request now and then. */
async function lightLoadP99(url: string, authorization: string, seconds: number): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const began = performance.now();
    await (await fetch(url, { headers: { authorization } })).arrayBuffer();
    times.push(performance.now() - began);
    await sleep(10);
  }
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
