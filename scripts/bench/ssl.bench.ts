import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceEnvironment, startScript, startService, type BenchService } from './processes.ts';
import { addFigure, addLoggedErrors, median } from './report.ts';
import { seedSites } from './seed.ts';
import { waitForJob } from './sync.bench.ts';

const run = promisify(execFile);

const ENDPOINTS = 1_000;
/** The concurrency limit of checks in the settings. */
const CONCURRENCY = 50;
const ROUNDS = 5;

/** Returns the milliseconds of a loop over `tls.connect` in a process of its own, after a warm-up. */
async function measureBaseline(urls: string[], env: Record<string, string>): Promise<number> {
  const script = join(import.meta.dirname, 'bare-tls.ts');
  const args = ['--import=tsx', script, String(CONCURRENCY), '2', JSON.stringify(urls)];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  const [, measured = Number.NaN] = JSON.parse(stdout) as number[];
  return measured;
}

async function checkAll(service: BenchService): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${service.url}/api/v2/schedules/ssl-checks/run`, {
    method: 'POST',
    headers: { authorization: service.authorization },
  });
  const { data } = (await response.json()) as { data: { job_id: string } };
  const { failed, ms } = await waitForJob(service, data.job_id);
  if (failed > 0) throw new Error(`${failed} certificates could not be looked at.`);
  return ms - began;
}

async function countValid(service: BenchService): Promise<number> {
  const response = await fetch(`${service.url}/api/v2/ssl-monitor/info?status=valid&per_page=1`, {
    headers: { authorization: service.authorization },
  });
  return ((await response.json()) as { total: number }).total;
}

/**
 * Measures checks of 1,000 TLS endpoints with a certificate and a chain each: a run of the schedule, from the call that
 * starts it to the last row that it writes. The baseline is a loop of handshakes with the same endpoints and the same
 * concurrency.
 */
export async function ssl(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-bench-tls-'));
  const file = join(folder, 'authority.pem');
  const endpoints = await startScript('tls-endpoints.ts', [String(ENDPOINTS), file]);
  const urls = JSON.parse(endpoints.url) as string[];
  const trusting = { NODE_EXTRA_CA_CERTS: file };
  const { env, remove } = await serviceEnvironment();
  await seedSites(env, ENDPOINTS, urls);
  const service = await startService({ ...env, ...trusting });
  try {
    await checkAll(service);
    const idle = service.rss();
    const memory: number[] = [];
    const watch = setInterval(() => memory.push(service.rss()), 50);
    const rounds: { bare: number; checked: number }[] = [];
    // Both take turns, so that other work of the machine affects both.
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ bare: await measureBaseline(urls, trusting), checked: await checkAll(service) });
    clearInterval(watch);
    const handshakes = 1000 * ENDPOINTS;
    addFigure({
      name: `checks of ${ENDPOINTS} TLS endpoints, beside a bare loop`,
      value: median(rounds.map(({ bare, checked }) => bare / checked)),
      unit: 'ratio',
      baseline: `${(handshakes / median(rounds.map(({ bare }) => bare))).toFixed(0)} handshakes/s, ${CONCURRENCY} at once`,
      must: { limit: 0.7, better: 'higher' },
    });
    addFigure({
      name: 'highest memory during them',
      value: Math.max(...memory),
      unit: 'MB',
      baseline: `${idle.toFixed(0)} MB behind the first run`,
      must: { limit: 350, better: 'lower' },
    });
    addFigure({
      name: 'endpoints that are not valid behind it',
      value: ENDPOINTS - (await countValid(service)),
      unit: 'lines',
      must: { limit: 0, better: 'lower' },
    });
    addLoggedErrors(service.errors().length);
  } finally {
    await service.stop();
    await endpoints.stop();
    await remove();
    await rm(folder, { recursive: true, force: true });
  }
}
