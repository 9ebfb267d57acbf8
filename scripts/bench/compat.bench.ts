import { compareWithExpress } from './express-baseline.ts';
import { describeLoads, type ComparedLoad } from './load.ts';
import { serviceEnvironment, startService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';

const SITES = 1_000;

/** Reads by both addresses of one service. The difference is the cost of the translation. */
const READS = [
  {
    name: 'list-sites by GET with brackets',
    plain: '/abilities/v1/svc/list-sites-v1/run?input[per_page]=20&input[page]=1',
    mounted: '/wp-json/wp-abilities/v1/abilities/mainwp/list-sites-v1/run?input[per_page]=20&input[page]=1',
  },
  {
    name: 'GET /sites',
    plain: '/api/v2/sites?per_page=20&full_data=0',
    mounted: '/wp-json/mainwp/v2/sites?per_page=20&full_data=0',
  },
  {
    name: 'GET /settings/advanced',
    plain: '/api/v2/settings/advanced',
    mounted: '/wp-json/mainwp/v2/settings/advanced',
  },
] as const;

export async function compat(): Promise<void> {
  const { env, remove } = await serviceEnvironment(undefined);
  await seedSites(env, SITES);
  const service = await startService(env);
  try {
    const { authorization } = service;
    for (const { name, plain, mounted } of READS) {
      const { bytes, express, loads } = await compareWithExpress(
        [mounted, plain].map((path) => ({ process: service, url: service.url + path, authorization })),
      );
      const [translated, direct] = loads as [ComparedLoad, ComparedLoad];
      addFigure({
        name: `compatibility mount: ${name}, of stock Express`,
        value: translated.ratio,
        unit: 'ratio',
        baseline: describeLoads(`stock Express, ${bytes} bytes`, express, translated),
      });
      addFigure({
        name: `compatibility mount: ${name}`,
        value: translated.ratio / direct.ratio,
        unit: 'ratio',
        baseline: describeLoads('the plain address', direct, translated),
        must: { limit: 0.75, better: 'higher' },
        aim: 0.85,
      });
    }
  } finally {
    await service.stop();
    await remove();
  }
}
