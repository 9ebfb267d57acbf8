import { readConfig } from '../../src/platform/config.ts';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { measureRatios } from './load.ts';
import type { ListDatabase } from './lists.bench.ts';
import { serviceEnvironment, startScript, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';
import { waitForJob, runAbility, startFleetAndService } from './sync.bench.ts';

const PATH = '/abilities/v1/svc/list-updates-v1/run';
const SITES = 10_000;

/** Measures `list-updates-v1` on 10,000 sites with ten updates each, 50 per page, with exact total and summary. */
export async function listUpdates(database: ListDatabase): Promise<void> {
  const { env, remove } = await serviceEnvironment(await database.url(SITES + 1));
  await seedSites(env, SITES);
  await seedUpdates(env);
  const service = await startService(env);
  const target = { url: service.url + PATH, authorization: service.authorization };
  const headers = { authorization: service.authorization };
  const bytes = (await (await fetch(target.url, { headers })).arrayBuffer()).byteLength;
  const bare = await startScript('bare-express.ts', [String(bytes)]);
  try {
    const { ratios: measured } = await measureRatios([{ url: bare.url }, target]);
    addFigure({
      name: `list-updates, 50 of 100,000, exact total and summary, ${database.name}`,
      value: measured[1] ?? 0,
      unit: 'ratio',
      baseline: `bare Express constant of ${bytes} bytes`,
      must: { limit: 0.13, better: 'higher' },
      aim: 0.22,
    });
  } finally {
    await bare.stop();
    await service.stop();
    await remove();
  }
}

/** Measures the memory of `run-updates-v1` over 1,000 simulated sites, and checks that each item has one result. */
export async function runUpdates(): Promise<void> {
  const { service, end } = await startFleetAndService(1_000);
  try {
    await waitForJob(service, String((await runAbility(service, 'sync-sites-v1', {}))['job_id']));
    let highest = 0;
    const watch = setInterval(() => (highest = Math.max(highest, service.rss())), 200);
    const began = performance.now();
    const { job_id, sites_queued } = await runAbility(service, 'run-updates-v1', { types: ['plugins'] });
    const { ms } = await waitForJob(service, String(job_id));
    clearInterval(watch);
    const errors = await unexpectedErrors(service, String(job_id));
    if (errors.length > 0) throw new Error(`${errors.length} updates failed: ${JSON.stringify(errors.slice(0, 5))}`);
    addFigure({ name: `plugin updates of ${String(sites_queued)} sites`, value: (ms - began) / 1000, unit: 's' });
    addFigure({ name: 'highest memory during it', value: highest, unit: 'MB', must: { limit: 350, better: 'lower' } });
  } finally {
    await end();
  }
}

/** Returns the errors of a job without those of plugins that need a newer PHP than the simulated site has. */
async function unexpectedErrors(service: BenchService, id: string): Promise<unknown[]> {
  const response = await fetch(`${service.url}/api/v2/jobs/${id}?per_page=1`, {
    headers: { authorization: service.authorization },
  });
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  return errors.filter(({ message }) => message !== 'The update requires a newer version of PHP.');
}

async function seedUpdates(env: Record<string, string>): Promise<void> {
  const core = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = core.database;
  for (let start = 0; start < SITES; start += 10) {
    const rows = Array.from({ length: 100 }, (_, offset) => {
      const site = start + Math.floor(offset / 10);
      const item = offset % 10;
      const type = item < 7 ? 'plugin' : item < 9 ? 'theme' : 'core';
      return {
        site_id: site + 1,
        type,
        slug: type === 'core' ? 'wordpress' : `item-${(site * 7 + item) % 500}-${item}`,
        name: `Item ${item}`,
        current_version: '1.0',
        new_version: '1.1',
        site_key: `site-${String(site).padStart(6, '0')}.bench.example`,
        ignored: 0,
      };
    });
    await knex('site_updates').insert(rows);
    await new Promise(setImmediate);
  }
  await knex('revisions').where({ name: 'updates' }).increment('value', 1);
  await core.close();
}
