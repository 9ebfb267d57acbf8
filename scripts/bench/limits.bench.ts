import type { Knex } from 'knex';
import { bumpRevision } from '../../src/db/revisions.ts';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';
import type { BenchDatabase } from './databases.ts';
import { serviceEnvironment, startService, type BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { seedSites } from './seed.ts';

const SITES = 100_000;
const IN_LIMIT = 500;
/** Prime, so that a multiple of it moves a site to another place of the order of addresses. */
const STEP = 7_919;
/** Length of a sealed key. A page of the database has several rows without such a text, but only one real row. */
const KEY_CHARACTERS = 2_300;

const ROUNDS = 9;

/** The system counts processor time in steps of 10 ms, so a cheap call needs more calls a round. */
const LISTS = [
  { name: 'GET /api/v2/sites', path: `/api/v2/sites?per_page=${IN_LIMIT}`, calls: 20 },
  { name: 'list-sites-v1', path: '/abilities/v1/svc/list-sites-v1/run?input[per_page]=100', calls: 100 },
] as const;

/**
 * Compares lists of a caller that is limited to 500 of 100,000 sites with those of a caller without a limit, from
 * cached pages and after a change of the sites. The sites of the limit are evenly spread, and addresses do not follow
 * IDs, as in a fleet that has grown.
 */
export async function limits(database: BenchDatabase): Promise<void> {
  const { env, remove } = await serviceEnvironment(await database.url('limits'));
  const addresses = Array.from({ length: SITES }, (_, index) => {
    const place = (index * STEP) % SITES;
    return `https://site-${String(place).padStart(6, '0')}.bench.example/`;
  });
  await seedSites(env, SITES, addresses, { secrets: false });
  // Statements about all sites take longer than those of the service.
  const settings = { ...env, LOG_LEVEL: 'silent', SITEFLEET_DATABASE_TIMEOUT: '600' };
  const core = await createBaseServices(readConfig(settings));
  const { knex } = core.database;
  await assignToLimits(knex);
  const service = await startService(env);
  try {
    const cpu = (): number => service.cpu() + (database.cpu?.() ?? 0);
    const unlimited = await addKey(service, null);
    for (const [kind, limit] of [
      ['client', { clients: [1] }],
      ['tag', { tags: [1] }],
      ['sites', { sites: Array.from({ length: IN_LIMIT }, (_, index) => siteInLimit(index)) }],
    ] as const) {
      const limited = await addKey(service, limit);
      for (const { name, path, calls } of LISTS)
        for (const isChanged of [false, true]) {
          const prepare = isChanged ? () => bumpRevision(knex, 'sites') : () => Promise.resolve();
          const { ratio, costs } = await compareCallers({
            url: service.url + path,
            calls,
            callers: [unlimited, limited],
            cpu,
            prepare,
          });
          const [free, own] = costs.map((cost) => `${cost.toFixed(1)} ms`);
          addFigure({
            name: `${name}${isChanged ? ' after a change' : ''}, limit by ${kind}, ${database.name}`,
            value: ratio,
            unit: 'ratio',
            baseline: `without a limit: ${free}; with 500 of 100,000 sites: ${own}`,
            must: { limit: 1.3, better: 'lower' },
          });
        }
    }
  } finally {
    await service.stop();
    await core.close();
    await remove();
  }
}

/**
 * Returns the processor time per call in milliseconds, and the median of the ratios. The callers take turns, one call
 * at a time, because a call after a change is compared too.
 */
async function compareCallers({
  url,
  calls,
  callers,
  cpu,
  prepare,
}: {
  url: string;
  /** Calls of a caller in a round. */
  calls: number;
  callers: readonly [first: string, second: string];
  cpu: () => number;
  prepare: () => Promise<unknown>;
}): Promise<{ ratio: number; costs: number[] }> {
  const costOf = async (authorization: string): Promise<number> => {
    let used = 0;
    for (let call = 0; call < calls; call++) {
      await prepare();
      const before = cpu();
      const response = await fetch(url, { headers: { authorization } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      used += cpu() - before;
    }
    return (used * 1_000) / calls;
  };
  for (const caller of callers) await costOf(caller);
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push([await costOf(callers[0]), await costOf(callers[1])]);
  const medianOf = (value: (round: number[]) => number): number => median(rounds.map(value));
  return {
    ratio: medianOf(([free = 0, own = 0]) => own / free),
    costs: [0, 1].map((caller) => medianOf((round) => round[caller] ?? 0)),
  };
}

const siteInLimit = (index: number): number => index * (SITES / IN_LIMIT) + 1;

/** Gives 500 sites the first client and the first tag, and all others the second ones. */
async function assignToLimits(knex: Knex): Promise<void> {
  const times = { created_at: Date.now(), updated_at: Date.now() };
  for (const id of [1, 2]) {
    const name = `Group ${id}`;
    await knex('clients').insert({ id, name, name_key: name, note: '', status: 'active', ...times });
    await knex('tags').insert({ id, name, name_key: name, color: null, revision: 1, ...times });
  }
  const group = `case when sites.id % ${SITES / IN_LIMIT} = 1 then 1 else 2 end`;
  const bytes = 'k'.repeat(KEY_CHARACTERS);
  await knex.raw(`update sites set client_id = ${group}`);
  await knex.raw(`insert into site_tags (tag_id, site_id, site_key) select ${group}, id, url_key from sites`);
  await knex.raw(`insert into site_secrets (site_id, server, unique_id) select id, '', ? from sites`, [bytes]);
  await bumpRevision(knex, 'sites');
}

async function addKey({ url, authorization }: BenchService, limit: object | null): Promise<string> {
  const response = await fetch(`${url}/api/v2/rest-api/add-key`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: 'read', limit }),
  });
  if (!response.ok) throw new Error(`add-key: ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: { token: string } };
  return `Bearer ${data.token}`;
}
