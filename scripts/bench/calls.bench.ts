import type { BenchDatabase } from './databases.ts';
import { compareWithExpress } from './express-baseline.ts';
import { describeLoads, type Call, type ComparedLoad } from './load.ts';
import { serviceEnvironment, startService, type BenchService } from './processes.ts';
import { addFigure } from './report.ts';
import { seedUpdates } from './seed-updates.ts';
import { seedSites } from './seed.ts';

const SITES = 10_000;
const PER_PAGE = 20;
const PAGES = SITES / PER_PAGE;

interface MeasuredCall {
  name: string;
  at: (number: number) => Call;
  /** Least ratio to stock Express, and the aim. */
  goal?: Partial<Record<BenchDatabase['name'], readonly [must: number, aim: number]>>;
}

const ability = (name: string, search = ''): string => `/abilities/v1/svc/${name}/run${search}`;
const pageAt = (number: number): number => 1 + (number % PAGES);
/** Returns the ID of a site far from that of the call before. */
const siteAt = (number: number): number => 1 + ((number * 131) % SITES);

const MEASURED: readonly MeasuredCall[] = [
  {
    name: `list-sites-v1, ${PER_PAGE} of 10,000, all pages in turn`,
    at: (number) => ({ path: ability('list-sites-v1', `?input[page]=${pageAt(number)}&input[per_page]=${PER_PAGE}`) }),
    goal: { SQLite: [0.7, 0.8], MariaDB: [0.6, 0.75] },
  },
  {
    name: 'get-site-v1, sites in turn',
    at: (number) => ({ path: ability('get-site-v1', `?input[site_id_or_domain]=${siteAt(number)}`) }),
    goal: { SQLite: [0.45, 0.6] },
  },
  {
    name: 'list-updates-v1, 50 of 100,000',
    at: () => ({ path: ability('list-updates-v1') }),
    goal: { SQLite: [0.35, 0.45] },
  },
  {
    name: `GET /api/v2/sites, ${PER_PAGE} of 10,000, all pages in turn`,
    at: (number) => ({ path: `/api/v2/sites?per_page=${PER_PAGE}&page=${pageAt(number)}` }),
    goal: { SQLite: [0.18, 0.3] },
  },
  {
    name: 'update-site-v1, sites in turn',
    at: (number) => ({
      path: ability('update-site-v1'),
      body: { input: { site_id_or_domain: siteAt(number), notes: `Note ${number}` } },
    }),
  },
];

/** Measures single calls on 10,000 sites, each compared with a constant of the same size in stock Express. */
export async function calls(database: BenchDatabase): Promise<void> {
  const { env, remove } = await serviceEnvironment(await database.url(SITES));
  await seedSites(env, SITES);
  await seedUpdates(env, SITES);
  const service = await startService(env);
  try {
    for (const call of MEASURED) await measureCall(service, call, database.name);
  } finally {
    await service.stop();
    await remove();
  }
}

async function measureCall(service: BenchService, call: MeasuredCall, database: BenchDatabase['name']): Promise<void> {
  const { name, at, goal = {} } = call;
  const { url, authorization } = service;
  const { bytes, express, loads } = await compareWithExpress([{ process: service, url, authorization, callAt: at }]);
  const [own] = loads as [ComparedLoad];
  const [must, aim] = goal[database] ?? [];
  addFigure({
    name: `${name}, ${database}`,
    value: own.ratio,
    unit: 'ratio',
    baseline: describeLoads(`stock Express, ${bytes} bytes`, express, own),
    ...(must !== undefined && { must: { limit: must, better: 'higher' as const }, aim }),
  });
}
