import type { BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { waitForJob, runAbility, startFleetAndService } from './sync.bench.ts';

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
