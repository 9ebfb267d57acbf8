import { setTimeout as sleep } from 'node:timers/promises';
import { serviceEnvironment, startScript, startService, type RunningProcess, type BenchService } from './processes.ts';
import { addFigure, addLoggedErrors, median } from './report.ts';
import { seedSites } from './seed.ts';

export const LATENCY_MS = 50;
export const CONCURRENCY = 32;
/** Number of sites that hang after a signal to `fleet.ts`. */
const HANGING = 10;
const READ_DEADLINE = 120_000;

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

export async function waitForJob(service: BenchService, id: string): Promise<{ failed: number; ms: number }> {
  for (;;) {
    const { completed_at, failed } = await jobOf(service, id);
    if (completed_at !== null) return { failed, ms: performance.now() };
    await sleep(50);
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
    await sleep(2_000);
    addFigure({ name: 'memory when idle', value: service.rss(), unit: 'MB', must: { limit: 200, better: 'lower' } });
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

/** Measures 10,000 sites: memory, time per site, and the response times of other callers. */
export async function syncLarge(name: string, databaseUrl?: string): Promise<void> {
  const { service, end } = await startFleetAndService(10_000, databaseUrl);
  const target = { url: `${service.url}/abilities/v1/svc/list-sites-v1/run`, authorization: service.authorization };
  try {
    await lightLoadP99(target.url, target.authorization, 3);
    const idle = await lightLoadP99(target.url, target.authorization, 5);
    const began = performance.now();
    const { job_id } = await runAbility(service, 'sync-sites-v1', {});
    let highest = 0;
    const watch = setInterval(() => (highest = Math.max(highest, service.rss())), 200);
    const busy = await lightLoadP99(target.url, target.authorization, 8);
    const { failed, ms } = await waitForJob(service, String(job_id));
    clearInterval(watch);
    if (failed > 0) throw new Error(`${failed} sites failed.`);
    addFigure({
      name: `sync of 10,000 sites, ${name}`,
      value: (ms - began) / 1000,
      unit: 's',
      baseline: `${((10_000 * LATENCY_MS) / CONCURRENCY / 1000).toFixed(1)} s, 32 at once`,
    });
    addFigure({
      name: `highest memory during it, ${name}`,
      value: highest,
      unit: 'MB',
      must: { limit: 350, better: 'lower' },
    });
    addFigure({
      name: `p99 of list-sites during it, ${name}`,
      value: busy / idle,
      unit: 'ratio',
      baseline: `${idle.toFixed(1)} ms when idle`,
      must: { limit: 5, better: 'lower' },
    });
  } finally {
    await end();
  }
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

const SOAK_SECONDS = 60;

/**
 * Measures a minute of mixed calls with 10,000 sites. The memory must become stable, and the log must have no errors.
 */
export async function soak(): Promise<void> {
  const { service, end } = await startFleetAndService(10_000);
  try {
    const until = performance.now() + SOAK_SECONDS * 1000;
    const samples: number[] = [];
    const watch = setInterval(() => samples.push(service.rss()), 1000);
    const worker = async (index: number): Promise<void> => {
      for (let call = index; performance.now() < until; call++) {
        const ids = Array.from({ length: 20 }, (_, at) => 1 + ((call * 131 + at * 17) % 10_000));
        if (call % 4 === 0) await runAbility(service, 'sync-sites-v1', { site_ids_or_domains: ids });
        else if (call % 4 === 1) await runAbility(service, 'list-sites-v1', { page: 1 + (call % 400), per_page: 25 });
        else if (call % 4 === 2) await runAbility(service, 'list-updates-v1', { page: 1 + (call % 50) });
        else await runAbility(service, 'get-site-v1', { site_id_or_domain: ids[0], include_stats: true });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => worker(index)));
    clearInterval(watch);
    const third = Math.floor(samples.length / 3);
    const settled = median(samples.slice(third, 2 * third));
    const last = median(samples.slice(2 * third));
    addFigure({
      name: `memory in the last third of ${SOAK_SECONDS} s of mixed load`,
      value: last / settled,
      unit: 'ratio',
      baseline: `${settled.toFixed(0)} MB in the second third`,
      must: { limit: 1.15, better: 'lower' },
    });
    addLoggedErrors(service.errors().length);
    for (const line of service.errors().slice(0, 3)) console.log(line.slice(0, 300));
  } finally {
    await end();
  }
}
