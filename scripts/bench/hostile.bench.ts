import { setTimeout as sleep } from 'node:timers/promises';
import { serviceEnvironment, startScript, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';
import { runAbility } from './sync.bench.ts';

const SITES_PER_SHAPE = 10;
/** Beside the sites, a caller asks for something small as often as this. */
const PROBE_INTERVAL_MS = 5;

/** Syncs these sites, and tells what another caller and the memory meanwhile were. */
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

/** What hacked sites cost everybody else: ten at a time that answer as much, and as awkwardly, as they can. */
export async function hostile(): Promise<void> {
  const fleet = await startScript('hostile-sites.ts', [String(SITES_PER_SHAPE)]);
  const { shapes, urls } = JSON.parse(fleet.url) as { shapes: string[]; urls: string[] };
  const { env, remove } = await serviceEnvironment();
  await seedSites(env, urls.length, urls);
  const service = await startService(env);
  try {
    // What is set up with the first calls of all is no matter of the sites.
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
