import { measureRatios } from './load.ts';
import { serviceEnvironment, startScript, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedSites } from './seed.ts';

const PATH = '/abilities/v1/svc/list-sites-v1/run';

export interface ListDatabase {
  name: 'SQLite' | 'MariaDB';
  /** Returns the URL of a fresh database, or undefined for SQLite. */
  url: (size: number) => Promise<string | undefined>;
}

const LIMITS = { SQLite: [0.22, 0.33], MariaDB: [0.25, 0.35] } as const;

/** Measures `list-sites-v1` with 20 sites per page and the exact total, on fleets of three sizes. */
export async function lists(database: ListDatabase): Promise<void> {
  const services: { size: number; service: BenchService; remove: () => Promise<void> }[] = [];
  for (const size of [1_000, 10_000, 100_000]) {
    const { env, remove } = await serviceEnvironment(await database.url(size));
    await seedSites(env, size);
    services.push({ size, service: await startService(env), remove });
  }
  const target = ({ service }: { service: BenchService }) => ({
    url: service.url + PATH,
    authorization: service.authorization,
  });
  const [small, middle, large] = services;
  if (!small || !middle || !large) return;
  const { authorization } = middle.service;
  const bytes = (await (await fetch(middle.service.url + PATH, { headers: { authorization } })).arrayBuffer())
    .byteLength;
  const bare = await startScript('bare-express.ts', [String(bytes)]);
  try {
    const { ratios: measured } = await measureRatios([{ url: bare.url }, target(small), target(middle), target(large)]);
    const [, at1k = 0, at10k = 0, at100k = 0] = measured;
    const [must, aim] = LIMITS[database.name];
    addFigure({
      name: `list-sites, 20 of 10,000, exact total, ${database.name}`,
      value: at10k,
      unit: 'ratio',
      baseline: `bare Express constant of ${bytes} bytes`,
      must: { limit: must, better: 'higher' },
      aim,
    });
    addFigure({
      name: `list-sites at 100,000 sites, ${database.name}`,
      value: at100k / at1k,
      unit: 'ratio',
      baseline: 'the same at 1,000',
      must: { limit: 0.7, better: 'higher' },
      aim: 0.9,
    });
  } finally {
    await bare.stop();
    for (const { service, remove } of services) {
      await service.stop();
      await remove();
    }
  }
}
