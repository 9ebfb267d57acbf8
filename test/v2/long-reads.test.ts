import assert from 'node:assert/strict';
import { operationsOf, parametersOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { recordLongReads } from '../support/database.ts';
import { syncSites } from '../support/sites.ts';
import { startWorld, type World } from '../support/world.ts';

/** An offset above the limit for short reads. */
const DEEP = 'page=60&per_page=20';
/** The list of all sites is read most often, and its index has the order of the page. */
const SITES_IN_ORDER = /^select sites.id from sites order by|\(select sites.id, sites.url_key from sites order by/;

describe('long reads of lists', () => {
  let world: World;
  const contract = readContract('v2');
  before(async () => {
    world = await startWorld({ sites: 2, overrides: { tickMs: null } });
  });
  after(() => world.close());

  /** Returns the paths of the lists that have this parameter and that need no other. */
  const listsWith = (name: string): string[] =>
    operationsOf(contract)
      .filter(({ verb, path }) => verb === 'get' && !path.includes('{'))
      .filter((place) => {
        const parameters = parametersOf(contract, place);
        const names = parameters.flatMap((each) => (each.required ? ['required'] : each.name));
        // Posts and pages are searched on their sites.
        return names.includes(name) && !names.includes('required') && !names.includes('search_on');
      })
      .map(({ path }) => `/api/v2${path}`);
  const reads = (path: string) => recordLongReads(world.container.database.knex, () => world.request('GET', path));

  it('when a list has several rows per site, then its count is a long read', async () => {
    for (const path of [
      ...['updates/left-out', 'time-tracker', 'ssl-monitor/info', 'domain-monitor/profiles', 'vulnerabilities/fixes'],
      ...['perf-audit/results', 'outbox', 'changes?source=wpadmin', 'updates?search=none'],
    ]) {
      const { short, long } = await reads(`/api/v2/${path}`);
      const isCount = (sql: string): boolean => /count\(\*\)/.test(sql);
      assert.ok(long.some(isCount), path);
      assert.deepEqual(short.filter(isCount), [], path);
    }
  });

  it('when a page is behind the first 1,000 rows, then it is a long read in every list', async () => {
    const lists = listsWith('page');
    let long = 0;
    for (const path of lists) {
      const { short, long: all } = await reads(`${path}?${DEEP}`);
      const skipping = short.filter((sql) => /\boffset \?/.test(sql) && !SITES_IN_ORDER.test(sql));
      assert.deepEqual(skipping, [], path);
      if (all.some((sql) => /\boffset \?/.test(sql))) long++;
    }
    assert.ok(long >= 15, String(long));
  });

  it('when a list is searched, then it is a long read in every list', async () => {
    const lists = listsWith('search');
    let searched = 0;
    for (const path of lists) {
      const { short, long } = await reads(`${path}?search=none+has+this`);
      assert.deepEqual(
        short.filter((sql) => / like \?| glob \?/.test(sql)),
        [],
        path,
      );
      if (long.some((sql) => / like \?| glob \?/.test(sql))) searched++;
    }
    assert.ok(searched >= 12, String(searched));
  });

  it('when a limited caller reads jobs or costs, then every statement with the sites of the limit is a long read', async () => {
    const body = { scope: 'read', limit: { sites: [world.siteId(0)] } };
    const { token } = (await world.request('POST', '/api/v2/rest-api/add-key', { body })).body.data;
    const caller = { as: 'nobody', headers: { authorization: `Bearer ${token}` } } as const;
    await syncSites(world);
    const costs = { name: 'Hosting', price: 10, sites: [world.siteId(0)] };
    await world.request('POST', '/api/v2/costs/add', { body: costs });
    for (const path of ['jobs', 'costs']) {
      const { knex } = world.container.database;
      const { short, long } = await recordLongReads(knex, async () => {
        const { body: page } = await world.request('GET', `/api/v2/${path}`, caller);
        assert.equal(page.data.length, 1, path);
      });
      const isOfSites = (sql: string): boolean => /\bsites\b/.test(sql);
      assert.ok(long.some(isOfSites), path);
      assert.deepEqual(short.filter(isOfSites), [], path);
    }
  });

  it('when a list has few rows, then nothing of it is a long read', async () => {
    for (const path of ['tags', 'clients', 'sites', 'pins', 'jobs', 'packages', 'report-templates'])
      assert.deepEqual((await reads(`/api/v2/${path}?page=1`)).long, [], path);
  });
});
