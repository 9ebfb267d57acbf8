import { setTimeout as sleep } from 'node:timers/promises';
import { serviceEnvironment, startScript, startService, type Service } from './processes.ts';
import { add } from './report.ts';
import { seedSites } from './seed.ts';
import { run } from './sync.bench.ts';

const EACH = 10;
/** Beside the sites, a caller asks for something small as often as this. */
const EVERY_MS = 5;

/** Syncs these sites, and tells what another caller and the memory meanwhile were. */
async function syncBeside(
  service: Service,
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
      await sleep(EVERY_MS);
    }
  })();
  const { errors } = await run(service, 'sync-sites-v1', { site_ids_or_domains: ids });
  isDone = true;
  await beside;
  return { slowest, rss, codes: new Set((errors as { code: string }[]).map(({ code }) => code)) };
}

const idsOf = (shape: number): number[] => Array.from({ length: EACH }, (_, index) => shape * EACH + index + 1);

/** What hacked sites cost everybody else: ten at a time that answer as much, and as awkwardly, as they can. */
export async function hostile(): Promise<void> {
  const fleet = await startScript('hostile-sites.ts', [String(EACH)]);
  const { shapes, urls } = JSON.parse(fleet.url) as { shapes: string[]; urls: string[] };
  const { env, remove } = await serviceEnvironment();
  await seedSites(env, urls.length, urls);
  const service = await startService(env);
  try {
    // What is set up with the first calls of all is no matter of the sites.
    await syncBeside(service, idsOf(0));
    let memory = 0;
    for (const [shape, name] of shapes.entries()) {
      const ids = idsOf(shape);
      const { slowest, rss, codes } = await syncBeside(service, ids);
      if (codes.size !== 1 || (!codes.has('svc_site_bad_answer') && !codes.has('svc_site_refused')))
        throw new Error(`${name}: ${[...codes].join()}`);
      memory = Math.max(memory, rss);
      add({
        name: `slowest /healthz beside ${EACH} sites with ${name}`,
        value: slowest,
        unit: 'ms',
        must: { limit: 100, better: 'lower' },
      });
    }
    add({
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
