import { setTimeout as sleep } from 'node:timers/promises';
import { startFleetAndService } from './sync.bench.ts';
import { addFigure, addLoggedErrors, median } from './report.ts';
import type { BenchService } from './processes.ts';
import { seedMonitors } from './seed-monitors.ts';

const MONITORS = 10_000;
const INTERVAL = 5;
const YEAR = 365;
const PAGE = 50;
/** Milliseconds for the first run and for the service to become stable. */
const WARM_UP = 75_000;

async function ask<T>(service: BenchService, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${service.url}/api/v2${path}`, {
    method,
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

interface Job {
  job_id: string;
  created_at: string;
  completed_at: string | null;
}
interface Item {
  result: { monitors: { begun: number } } | null;
}

/** Returns the runs that began within this time, after they have ended. */
async function runsBetween(service: BenchService, since: string, until: string): Promise<Job[]> {
  for (;;) {
    const { data: jobs } = await ask<{ data: Job[] }>(service, 'GET', '/jobs?type=uptime-check&per_page=500');
    const runs = jobs.filter(({ created_at }) => created_at >= since && created_at < until);
    if (runs.every(({ completed_at }) => completed_at !== null)) return runs;
    await sleep(1_000);
  }
}

async function checksOf(service: BenchService, runs: readonly Job[]): Promise<number> {
  let begun = 0;
  for (const { job_id } of runs) {
    const { items } = await ask<{ items: Item[] }>(service, 'GET', `/jobs/${job_id}?per_page=500`);
    begun += items.reduce((sum, { result }) => sum + (result?.monitors.begun ?? 0), 0);
  }
  return begun;
}

/**
 * Measures 10,000 monitors with an interval of five minutes in one process: the share of a core, the memory, and the
 * number of checks compared with those that were due. Each monitor has a year of data and a place in the interval, as
 * if the service had always run.
 */
export async function uptime(minutes: number): Promise<void> {
  const { service, end } = await startFleetAndService(MONITORS, undefined, undefined, [], (env) =>
    seedMonitors(env, INTERVAL, YEAR),
  );
  try {
    await measureLists(service);
    await ask(service, 'PUT', '/monitors/settings', { active: true, interval: INTERVAL });
    await sleep(WARM_UP);
    await measureMonitoring(service, minutes);
  } finally {
    await end();
  }
}

async function measureMonitoring(service: BenchService, minutes: number): Promise<void> {
  const began = { cpu: service.cpu(), at: performance.now(), errors: service.errors().length };
  const startedAt = new Date().toISOString();
  const memory: number[] = [];
  while (performance.now() < began.at + minutes * 60_000) {
    memory.push(service.rss());
    await sleep(1_000);
  }
  const seconds = (performance.now() - began.at) / 1000;
  const used = service.cpu() - began.cpu;
  const half = Math.floor(memory.length / 2);
  const baseline = `${seconds.toFixed(0)} s`;
  const [less, more] = [{ better: 'lower' }, { better: 'higher' }] as const;
  const name = `share of a core for ${MONITORS} monitors at ${INTERVAL} minutes`;
  addFigure({ name, value: used / seconds, unit: 'ratio', baseline, must: { limit: 0.5, ...less } });
  const first = median(memory.slice(0, half));
  addFigure({
    name: 'memory in the second half of it',
    value: median(memory.slice(half)) / first,
    unit: 'ratio',
    baseline: `${first.toFixed(0)} MB in the first half`,
    must: { limit: 1.1, ...less },
  });
  const runs = await runsBetween(service, startedAt, new Date(Date.parse(startedAt) + minutes * 60_000).toISOString());
  const due = (MONITORS * minutes) / INTERVAL;
  addFigure({
    name: 'checks made of those that were due in it',
    value: (await checksOf(service, runs)) / due,
    unit: 'ratio',
    baseline: `${due.toFixed(0)} checks`,
    must: { limit: 0.9, ...more },
  });
  const lasted = runs.map((run) => (Date.parse(run.completed_at ?? '') - Date.parse(run.created_at)) / 60_000);
  addFigure({
    name: 'the longest run of them',
    value: Math.max(...lasted),
    unit: 'ratio',
    baseline: '60 s, after which the next one begins',
    must: { limit: 1, ...less },
  });
  const lost = MONITORS - (await ask<{ count: number }>(service, 'GET', '/monitors/count?status=up')).count;
  addFigure({ name: 'monitors that are not up behind it', value: lost, unit: 'lines', must: { limit: 0, ...less } });
  addLoggedErrors(service.errors().length - began.errors);
}

/** Measures how much a year of hourly figures adds to a page of monitors, at each position of the fleet. */
async function measureLists(service: BenchService): Promise<void> {
  const timed = async (path: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 60; round++) {
      const page = 1 + ((round * 37) % (MONITORS / PAGE));
      const began = performance.now();
      await ask(service, 'GET', `/monitors${path}?per_page=${PAGE}&page=${page}`);
      times.push(performance.now() - began);
    }
    return median(times.slice(10));
  };
  const basic = await timed('/basic');
  addFigure({
    name: `${PAGE} of ${MONITORS} monitors with the ratios of a year of hours`,
    value: (await timed('')) / basic,
    unit: 'ratio',
    baseline: `${basic.toFixed(1)} ms without them`,
    must: { limit: 5, better: 'lower' },
  });
}
