import type { BenchDatabase } from './databases.ts';
import { loadFor } from './load.ts';
import { mixOf } from './mix-calls.ts';
import type { BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { runAbility, startFleetAndService, waitForJob } from './sync.bench.ts';

const SITES = 1_000;
const ROUNDS = 3;
const SECONDS = 6;

/**
 * Measures what users feel: a mix of reads while all sites are synced again and again. The processor time of the syncs
 * is known from syncs without other calls, and is subtracted.
 */
export async function mix(database: BenchDatabase): Promise<void> {
  const { service, end } = await startFleetAndService(SITES, await database.url(SITES + 2));
  try {
    // Not measured: the first sync of a site costs more than later ones, because it stores the whole report.
    await syncAll(service);
    const alone = median([await syncCost(service), await syncCost(service), await syncCost(service)]);
    const target = { process: service, url: service.url, authorization: service.authorization, callAt: mixOf(SITES) };
    await loadFor(target, 2);
    const costs: number[] = [];
    const p99s: number[] = [];
    let rate = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const syncs = syncRepeatedly(service, SITES);
      const load = await loadFor(target, SECONDS);
      const sites = await syncs.processed();
      costs.push(load.cost - (sites * alone) / load.calls);
      p99s.push(load.p99);
      rate = Math.max(rate, load.rate);
      await syncs.end();
    }
    addFigure({
      name: `mix of reads during syncs of ${SITES} sites, ${database.name}`,
      value: median(costs),
      unit: 'µs',
      baseline: `processor time per call, without ${alone.toFixed(0)} µs per synced site; ${rate.toFixed(0)}/s`,
    });
    addFigure({ name: `p99 of this mix, ${database.name}`, value: median(p99s), unit: 'ms' });
  } finally {
    await end();
  }
}

export async function syncAll(service: BenchService): Promise<void> {
  const { job_id } = await runAbility(service, 'sync-sites-v1', {});
  const { failed } = await waitForJob(service, String(job_id));
  if (failed > 0) throw new Error(`${failed} sites failed.`);
}

/** Returns the microseconds of processor time per site of a sync without other calls. */
async function syncCost(service: BenchService): Promise<number> {
  const before = service.cpu();
  await syncAll(service);
  return ((service.cpu() - before) * 1_000_000) / SITES;
}

/** Begins a sync of all sites whenever the one before has ended. */
export function syncRepeatedly(
  service: BenchService,
  sites: number,
): { processed: () => Promise<number>; end: () => Promise<void> } {
  let isEnding = false;
  let done = 0;
  let current = '';
  const processedOf = async (id: string): Promise<number> => {
    const headers = { authorization: service.authorization };
    const response = await fetch(`${service.url}/api/v2/jobs/${id}?per_page=1`, { headers });
    return ((await response.json()) as { data: { processed: number } }).data.processed;
  };
  const running = (async () => {
    while (!isEnding) {
      current = String((await runAbility(service, 'sync-sites-v1', {}))['job_id']);
      await waitForJob(service, current);
      done += sites;
      current = '';
    }
  })();
  return {
    processed: async () => done + (current === '' ? 0 : await processedOf(current)),
    end: async () => {
      isEnding = true;
      await running;
    },
  };
}
