import type { BenchDatabase } from './databases.ts';
import { loadFor } from './load.ts';
import { mixOf } from './mix-calls.ts';
import { syncAll, syncRepeatedly } from './mix.bench.ts';
import { addFigure, addLoggedErrors, median } from './report.ts';
import { startFleetAndService } from './sync.bench.ts';

const SITES = 5_000;
/** From this minute on the memory must be stable. */
const SETTLED_MINUTE = 2;

/**
 * Measures the memory in each minute of the mix during syncs. The log must have no errors. A first sync comes before
 * the load, because each site adds its parsed key and its cookies to caches. Beside the load, a sync takes minutes, and
 * the second minute would depend on the number of sites that it has reached.
 */
export async function soak(database: BenchDatabase, minutes: number): Promise<void> {
  if (!(minutes > SETTLED_MINUTE)) throw new Error(`--minutes must be more than ${SETTLED_MINUTE} for soak.`);
  const { service, end } = await startFleetAndService(SITES, await database.url('soak'));
  try {
    const target = { process: service, url: service.url, authorization: service.authorization, callAt: mixOf(SITES) };
    await syncAll(service);
    console.log(`${database.name}, after a sync of all sites: ${service.rss().toFixed(0)} MB`);
    const syncs = syncRepeatedly(service, SITES);
    const memory: number[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      const samples: number[] = [];
      const watch = setInterval(() => samples.push(service.rss()), 1_000);
      const { rate } = await loadFor(target, 60).finally(() => clearInterval(watch));
      memory.push(median(samples));
      console.log(`${database.name}, minute ${minute}: ${median(samples).toFixed(0)} MB, ${rate.toFixed(0)} calls/s`);
    }
    await syncs.end();
    const settled = memory[SETTLED_MINUTE - 1] ?? Number.NaN;
    addFigure({
      name: `memory in minute ${memory.length} of the mix during syncs, ${database.name}`,
      value: (memory.at(-1) ?? Number.NaN) / settled,
      unit: 'ratio',
      baseline: `${settled.toFixed(0)} MB in minute ${SETTLED_MINUTE}`,
      must: { limit: 1.1, better: 'lower' },
    });
    addLoggedErrors(service.errors().length, `${database.name}, `);
    for (const line of service.errors().slice(0, 3)) console.log(line.slice(0, 300));
  } finally {
    await end();
  }
}
