import type { Knex } from 'knex';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';
import { ACTIVITY_CHANGE_TYPES, ActivityReadModel } from '../../src/domains/changes/index.ts';
import { DAY, toDate } from '../../src/shared/clock.ts';
import type { BenchDatabase } from './databases.ts';
import { serviceEnvironment, startService, type BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { seedSites } from './seed.ts';

const ENTRIES = 100_000;
const DAYS = 365;
const ROUNDS = 15;
const CHUNK = 500;
const SITE = 1;

/** Measures the report of a site with 100,000 log entries in a year, and all of its lines as CSV. */
export async function reports(database: BenchDatabase): Promise<void> {
  const { env, remove } = await serviceEnvironment(await database.url('reports'));
  await seedSites(env, 10);
  const base = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const until = Math.floor(Date.now() / DAY) * DAY;
  const range = { from: until - DAYS * DAY, until };
  await seedChanges(base.database.knex, range);
  const counting = await timed(() => new ActivityReadModel(base.database.knex).counted([SITE], range));
  await base.close();
  const service = await startService(env);
  const days = `start_date=${toDate(range.from)}&end_date=${toDate(until - DAY)}`;
  try {
    const baseline = `${counting.toFixed(1)} ms for its counting query alone`;
    const report = await timed(() => read(service, `/pro-reports/${SITE}?${days}`));
    const name = `report over a year with ${ENTRIES} log entries, ${database.name}`;
    addFigure({ name, value: report / counting, unit: 'ratio', baseline, must: { limit: 10, better: 'lower' } });
    await measureCsvExport(service, `/pro-reports/${SITE}/plugins?${days}&format=csv`, database.name);
  } finally {
    await service.stop();
    await remove();
  }
}

/** Reads all lines and watches the memory of the service. */
async function measureCsvExport(service: BenchService, path: string, name: string): Promise<void> {
  await read(service, path);
  const before = service.rss();
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, service.rss())), 10);
  const bytes = await read(service, path);
  clearInterval(watching);
  const baseline = `${before.toFixed(0)} MB before it; ${(bytes / 1e6).toFixed(1)} MB of lines`;
  const must = { limit: 32, better: 'lower' } as const;
  addFigure({ name: `memory that its CSV adds, ${name}`, value: most - before, unit: 'MB', baseline, must });
}

/** Returns the number of bytes of the response, which are not kept. */
async function read(service: BenchService, path: string): Promise<number> {
  const { authorization } = service;
  const response = await fetch(`${service.url}/api/v2${path}`, { headers: { authorization } });
  if (!response.ok || !response.body) throw new Error(`${path}: ${await response.text()}`);
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.byteLength;
  return bytes;
}

/** Returns the median of some rounds in milliseconds, after one warm-up. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Inserts changes of every type that reports show. Half of them are about plugins. */
async function seedChanges(knex: Knex, { from, until }: { from: number; until: number }): Promise<void> {
  const types = Object.values(ACTIVITY_CHANGE_TYPES).flatMap((actions) => Object.values(actions).flat());
  const ofPlugins = Object.values(ACTIVITY_CHANGE_TYPES.plugins).flat();
  const rowAt = (index: number) => ({
    ...{ site_id: SITE, source: 'child_changes', external_id: String(index), description: '', actor: 'admin' },
    type: index % 2 === 0 ? ofPlugins[(index / 2) % ofPlugins.length] : types[index % types.length],
    at: from + Math.floor(((until - from) * index) / ENTRIES),
    ...{ object_name: `Thing ${index % 40}`, object_key: `thing-${index % 40}` },
    ...{ old_values: JSON.stringify({ version: '1.0' }), new_values: JSON.stringify({ version: '1.1' }) },
  });
  for (let start = 0; start < ENTRIES; start += CHUNK) {
    await knex('changes').insert(Array.from({ length: CHUNK }, (_, offset) => rowAt(start + offset)));
    // SQLite releases native statement handles only between turns of the event loop.
    await new Promise(setImmediate);
  }
}
