import type { BenchDatabase } from './databases.ts';
import { compareLoads, describeLoads, type ComparedLoad } from './load.ts';
import { serviceEnvironment, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';

const PATH = '/abilities/v1/svc/list-sites-v1/run';

/** Compares `list-sites-v1` on a large fleet and on a small one. */
export async function lists(database: BenchDatabase): Promise<void> {
  const services: { service: BenchService; remove: () => Promise<void> }[] = [];
  for (const size of [1_000, 100_000]) {
    const { env, remove } = await serviceEnvironment(await database.url(size));
    await seedSites(env, size, undefined, { secrets: false });
    services.push({ service: await startService(env), remove });
  }
  try {
    const [small, large] = (await compareLoads(
      services.map(({ service }) => ({
        process: service,
        url: service.url + PATH,
        authorization: service.authorization,
      })),
    )) as [ComparedLoad, ComparedLoad];
    addFigure({
      name: `list-sites-v1 at 100,000 sites, ${database.name}`,
      value: large.ratio,
      unit: 'ratio',
      baseline: describeLoads('the same at 1,000', small, large),
      must: { limit: 0.7, better: 'higher' },
      aim: 0.9,
    });
  } finally {
    for (const { service, remove } of services) {
      await service.stop();
      await remove();
    }
  }
}
