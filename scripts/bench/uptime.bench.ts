import { setTimeout as sleep } from 'node:timers/promises';
import { world } from './sync.bench.ts';
import { add, median } from './report.ts';
import type { Service } from './processes.ts';

const MONITORS = 10_000;
const INTERVAL = 5;

async function ask<T>(service: Service, method: string, path: string, body?: object): Promise<T> {
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
}
interface Item {
  result: { monitors: { begun: number } } | null;
}

/** Checks that the runs of this time have begun. */
async function checksBetween(service: Service, since: string, until: string): Promise<number> {
  const { data: jobs } = await ask<{ data: Job[] }>(service, 'GET', '/jobs?type=uptime-check&per_page=500');
  let begun = 0;
  for (const { job_id, created_at } of jobs)
    if (created_at >= since && created_at < until) {
      const { items } = await ask<{ items: Item[] }>(service, 'GET', `/jobs/${job_id}?per_page=500`);
      begun += items.reduce((sum, { result }) => sum + (result?.monitors.begun ?? 0), 0);
    }
  return begun;
}

/**
 * 10,000 monitors at five minutes on one process: its share of a core, its memory, and how many checks it made of those
 * that were due. `minutes` counts from when each monitor has found its place in the interval.
 */
export async function uptime(minutes: number): Promise<void> {
  const { service, end } = await world(MONITORS);
  const counted = async (status: string): Promise<number> =>
    (await ask<{ count: number }>(service, 'GET', `/monitors/count?status=${status}`)).count;
  try {
    await ask(service, 'PUT', '/monitors/settings', { active: true, interval: INTERVAL });
    while ((await counted('first')) > 0) await sleep(2_000);
    // The first checks came as fast as a fleet is made up for; by then each monitor has found its place in the interval.
    await sleep(1.5 * INTERVAL * 60_000);
    const began = { cpu: service.cpu(), at: performance.now() };
    const startedAt = new Date().toISOString();
    const memory: number[] = [];
    const until = began.at + minutes * 60_000;
    while (performance.now() < until) {
      memory.push(service.rss());
      await sleep(1_000);
    }
    const seconds = (performance.now() - began.at) / 1000;
    const endedAt = new Date().toISOString();
    const used = service.cpu() - began.cpu;
    const half = Math.floor(memory.length / 2);
    add({
      name: `share of a core for ${MONITORS} monitors at ${INTERVAL} minutes`,
      value: used / seconds,
      unit: 'ratio',
      baseline: `${seconds.toFixed(0)} s`,
      must: { limit: 0.5, better: 'lower' },
    });
    add({
      name: 'memory in the second half of it',
      value: median(memory.slice(half)) / median(memory.slice(0, half)),
      unit: 'ratio',
      baseline: `${median(memory.slice(0, half)).toFixed(0)} MB in the first half`,
      must: { limit: 1.1, better: 'lower' },
    });
    // The last run is counted when it has ended.
    await sleep(60_000);
    const made = await checksBetween(service, startedAt, endedAt);
    add({
      name: 'checks made of those that were due in it',
      value: made / ((MONITORS * minutes) / INTERVAL),
      unit: 'ratio',
      baseline: `${((MONITORS * minutes) / INTERVAL).toFixed(0)} checks`,
      must: { limit: 0.9, better: 'higher' },
    });
    add({
      name: 'monitors that are not up behind it',
      value: MONITORS - (await counted('up')),
      unit: 'lines',
      must: { limit: 0, better: 'lower' },
    });
    add({
      name: 'errors logged meanwhile',
      value: service.errors().length,
      unit: 'lines',
      must: { limit: 0, better: 'lower' },
    });
  } finally {
    await end();
  }
}
