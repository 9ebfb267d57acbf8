import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchDatabase } from './databases.ts';
import { writeFeed } from './feed.ts';
import { serviceEnvironment, startService, type BenchService } from './processes.ts';
import { addFigure, addLoggedErrors } from './report.ts';
import { seedInventory } from './seed-inventory.ts';
import { seedSites } from './seed.ts';
import { waitForJob } from './sync.bench.ts';

const run = promisify(execFile);

/** The size of Wordfence's feed, on a large fleet. */
const FULL = { sites: 10_000, records: 36_000 };
/** Interval of the small calls by another caller. */
const CALL_EVERY_MS = 50;

async function call<T>({ url, authorization }: BenchService, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}.`);
  return (await answer.json()) as T;
}

/** Returns the milliseconds from the call that starts a refresh to the end of its job. */
async function refresh(service: BenchService): Promise<number> {
  const began = performance.now();
  const path = '/api/v2/schedules/vulnerability-refresh/run';
  const { data } = await call<{ data: { job_id: string } }>(service, 'POST', path);
  const { failed, ms } = await waitForJob(service, data.job_id);
  if (failed > 0) throw new Error('The feed could not be read.');
  return ms - began;
}

/** Runs the work with another caller, and watches the memory. */
async function measureLatencyDuring(service: BenchService, work: () => Promise<number>) {
  const waits: number[] = [];
  let memory = service.rss();
  let isOver = false;
  const caller = (async () => {
    while (!isOver) {
      const began = performance.now();
      await call(service, 'GET', '/api/v2/modules');
      waits.push(performance.now() - began);
      memory = Math.max(memory, service.rss());
      await new Promise((done) => setTimeout(done, CALL_EVERY_MS));
    }
  })();
  const ms = await work();
  isOver = true;
  await caller;
  const slowest = waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.95)] ?? Number.NaN;
  return { ms, memory, slowest };
}

/**
 * Measures refreshes of a feed on a fleet: the whole feed, a change of one record in a hundred, and a rewritten feed
 * with the same content. The baseline of each is a program that parses the feed and writes as many rows.
 */
export async function vulnerabilities(database: BenchDatabase, { sites, records } = FULL): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-bench-feed-'));
  const file = join(folder, 'feed.json');
  const { env, remove } = await serviceEnvironment(await database.url('vulnerabilities'));
  try {
    await seedSites(env, sites);
    await seedInventory(env, sites);
    const write = (edition: number): Promise<void> => writeFeed(file, edition, records);
    await write(1);
    const script = join(import.meta.dirname, 'bare-refresh.ts');
    const args = ['--import=tsx', script, file, String(sites)];
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
    const bare = JSON.parse(stdout) as { parsed: number; whole: number; exposures: number };
    const service = await startService({ ...env, SITEFLEET_FEED_DIR: folder });
    try {
      await measure(`${database.name}, ${sites} sites, ${records} records`, service, write, bare);
    } finally {
      await service.stop();
    }
  } finally {
    await remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  name: string,
  service: BenchService,
  write: (edition: number) => Promise<void>,
  bare: { parsed: number; whole: number; exposures: number },
): Promise<void> {
  const settings = { wordfence_api_key: 'a-key-that-no-file-asks-for', wordfence_url: 'feed.json' };
  await call(service, 'PUT', '/api/v2/settings/vulnerabilities/edit', settings);
  const first = await measureLatencyDuring(service, () => refresh(service));
  await write(2);
  const second = await measureLatencyDuring(service, () => refresh(service));
  await write(2);
  const same = await measureLatencyDuring(service, () => refresh(service));
  const { total } = await call<{ total: number }>(service, 'GET', '/api/v2/vulnerabilities/exposures?per_page=1');
  const all = [first, second, same];
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  addFigure({
    name: `${name}: first refresh, beside bare rows`,
    value: bare.whole / first.ms,
    unit: 'ratio',
    baseline: `${seconds(bare.whole)} bare, ${seconds(first.ms)} here, ${bare.exposures} exposures`,
    must: { limit: 0.15, better: 'higher' },
  });
  addFigure({
    name: `${name}: one record in a hundred, beside the first`,
    value: second.ms / first.ms,
    unit: 'ratio',
    baseline: seconds(second.ms),
    must: { limit: 0.4, better: 'lower' },
  });
  addFigure({
    name: `${name}: the same feed, beside JSON.parse`,
    value: bare.parsed / same.ms,
    unit: 'ratio',
    baseline: `${seconds(bare.parsed)} bare, ${seconds(same.ms)} here`,
  });
  addFigure({
    name: `${name}: highest memory`,
    value: Math.max(...all.map(({ memory }) => memory)),
    unit: 'MB',
    must: { limit: 350, better: 'lower' },
  });
  addFigure({
    name: `${name}: 95 in 100 small calls meanwhile`,
    value: Math.max(...all.map(({ slowest }) => slowest)),
    unit: 'ms',
    must: { limit: 250, better: 'lower' },
  });
  addFigure({
    name: `${name}: exposures that are wrong`,
    value: Math.abs(total - bare.exposures),
    unit: 'lines',
    must: { limit: 0, better: 'lower' },
  });
  addLoggedErrors(service.errors().length, `${name}: `);
}
