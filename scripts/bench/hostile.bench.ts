import { setTimeout as sleep } from 'node:timers/promises';
import { serviceEnvironment, startScript, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';
import { runAbility } from './sync.bench.ts';

const SITES_PER_SHAPE = 10;
/** Interval of the small calls by another caller. */
const PROBE_INTERVAL_MS = 5;

/** Syncs the sites. Returns the slowest call of another caller, and the largest memory, during the sync. */
async function syncWhileProbing(
  service: BenchService,
  ids: number[],
): Promise<{ slowest: number; rss: number; codes: Set<string> }> {
  let slowest = 0;
  let rss = 0;
  let isDone = false;
  const beside = (async () => {
    while (!isDone) {
      const began = performance.now();
      await (await fetch(`${service.url}/healthz`)).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - began);
      rss = Math.max(rss, service.rss());
      await sleep(PROBE_INTERVAL_MS);
    }
  })();
  const { errors } = await runAbility(service, 'sync-sites-v1', { site_ids_or_domains: ids });
  isDone = true;
  await beside;
  return { slowest, rss, codes: new Set((errors as { code: string }[]).map(({ code }) => code)) };
}

const idsOf = (shape: number): number[] =>
  Array.from({ length: SITES_PER_SHAPE }, (_, index) => shape * SITES_PER_SHAPE + index + 1);

/** Measures the effect of hacked sites on other callers: ten sites at a time return as much data as they can. */
export async function hostile(): Promise<void> {
  const fleet = await startScript('hostile-sites.ts', [String(SITES_PER_SHAPE)]);
  const { shapes, urls } = JSON.parse(fleet.url) as { shapes: string[]; urls: string[] };
  const { env, remove } = await serviceEnvironment();
  await seedSites(env, urls.length, urls);
  const service = await startService(env);
  try {
    // The first calls set up the service, which is not measured.
    await syncWhileProbing(service, idsOf(0));
    let memory = 0;
    for (const [shape, name] of shapes.entries()) {
      const ids = idsOf(shape);
      const { slowest, rss, codes } = await syncWhileProbing(service, ids);
      if (codes.size !== 1 || (!codes.has('svc_site_bad_answer') && !codes.has('svc_site_refused')))
        throw new Error(`${name}: ${[...codes].join()}`);
      memory = Math.max(memory, rss);
      addFigure({
        name: `slowest /healthz beside ${SITES_PER_SHAPE} sites with ${name}`,
        value: slowest,
        unit: 'ms',
        must: { limit: 100, better: 'lower' },
      });
    }
    addFigure({
      name: 'memory at most beside all of these',
      value: memory,
      unit: 'MB',
      must: { limit: 500, better: 'lower' },
    });
  } finally {
    await service.stop();
    await fleet.stop();
    await remove();
  }
}
