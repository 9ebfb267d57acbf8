import { ALL_SITES, scopeWithin } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import { bumpRevision } from '../../../src/db/revisions.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { SiteList, whereInScope } from '../../../src/domains/sites/index.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { insertSite } from '../inventory/support.ts';

describe('lists of sites', () => {
  let opened: TestDatabase;
  let list: SiteList;
  const request = { page: 1, perPage: 2 };
  beforeEach(async () => {
    opened = await openTestDatabase();
    list = new SiteList(opened.database.knex, () => true);
    for (const key of ['a.test', 'b.test', 'c.test']) await insertSite(opened, key);
  });
  afterEach(() => opened.close());

  const names = async (filter = {}): Promise<string[]> =>
    (await list.page(ALL_SITES, filter, request)).items.map(({ name }) => name);
  /** Changes a site and bumps the revision in one transaction, as every service does. */
  const rename = (urlKey: string, name: string): Promise<void> =>
    inTransaction(opened.database.knex, async ({ trx }) => {
      await trx('sites').where({ url_key: urlKey }).update({ name, name_key: name });
      await bumpRevision(trx, 'sites');
    });

  it('when the same page is requested again, then it is cached and only the revision is read', async () => {
    assert.deepEqual(await names(), ['a.test', 'b.test']);
    const again = await recordStatements(opened.database.knex, names);
    assert.equal(again.length, 1);
    assert.match(again[0] ?? '', /from `revisions`/);
  });

  it('when any process changes a site, then the next request shows the change', async () => {
    await names();
    await rename('b.test', 'Renamed');
    assert.deepEqual(await names(), ['a.test', 'Renamed']);
  });

  it('when pages or filters differ, then each has its own cache entry', async () => {
    assert.deepEqual(await names(), ['a.test', 'b.test']);
    const second = await list.page(ALL_SITES, {}, { page: 2, perPage: 2 });
    assert.deepEqual([second.items.map(({ name }) => name), second.page, second.total], [['c.test'], 2, 3]);
    const wide = await list.page(ALL_SITES, {}, { page: 1, perPage: 3 });
    assert.deepEqual([wide.items.length, wide.perPage], [3, 3]);
    assert.deepEqual(await names({ search: 'C.' }), ['c.test']);
    assert.deepEqual(await names({ status: 'suspended' }), []);
    const { id } = await insertSite(opened, 'd.test', 'suspended');
    assert.deepEqual(await names({ include: [id] }), ['d.test']);
    assert.deepEqual(await names({ exclude: [id] }), ['a.test', 'b.test']);
  });

  it('when a limited scope has few sites, then a page has them in each order, and the index of all sites is not read', async () => {
    const { knex, dialect } = opened.database;
    await rename('a.test', 'z');
    const ids = await knex('sites').whereIn('url_key', ['a.test', 'c.test']).pluck<number[]>('id');
    const scope = scopeWithin([{ clients: [], tags: [], sites: ids }]);
    for (const by of ['url', 'name', 'id'] as const)
      for (const direction of ['asc', 'desc'] as const) {
        const order = { by, direction };
        const all = await list.page(ALL_SITES, {}, { page: 1, perPage: 3 }, order);
        const [first, second] = all.items.filter(({ id }) => ids.includes(id));
        for (const [page, expected] of [first, second].entries()) {
          const request = { page: page + 1, perPage: 1 };
          const sent = await recordStatements(knex, async () => {
            const { items, total } = await list.page(scope, {}, request, order);
            assert.deepEqual([items, total], [[expected], 2], `${by} ${direction}`);
          });
          if (dialect !== 'sqlite') continue;
          const pageSql = sent.find((sql) => sql.includes('order by')) ?? assert.fail(sent.join());
          const plan = await knex.raw<{ detail: string }[]>(`explain query plan ${pageSql.replaceAll('?', '1')}`);
          const steps = plan.map(({ detail }) => detail);
          assert.ok(steps.includes('USE TEMP B-TREE FOR ORDER BY'), steps.join());
        }
      }
  });

  it('when a scope has entries of one kind, then SQLite begins a page with its sites', async () => {
    const { knex, dialect } = opened.database;
    if (dialect !== 'sqlite') return;
    const none = { clients: [], tags: [], sites: [] };
    for (const limit of [{ clients: [1] }, { tags: [1, 2] }, { sites: [1] }]) {
      const query = knex('sites').orderBy('sites.url_key').limit(2).select('sites.id');
      whereInScope(knex, query, scopeWithin([{ ...none, ...limit }]));
      const { sql, bindings } = query.toSQL();
      const plan = await knex.raw<{ detail: string }[]>(`explain query plan ${sql}`, bindings);
      const steps = plan.map(({ detail }) => detail).join();
      assert.doesNotMatch(steps, /SCAN sites USING (COVERING )?INDEX sites_url_key/);
    }
  });

  it('when a filter depends on synced data, then the list is not cached', async () => {
    assert.deepEqual(await names({ hasUpdates: true }), []);
    const { id } = await insertSite(opened, 'd.test');
    await opened.database.knex('site_states').insert({
      site_id: id,
      notes: '',
      admin_username: 'admin',
      section_hashes: '{}',
      core_updates: 1,
    });
    assert.deepEqual(await names({ hasUpdates: true }), ['d.test']);
  });
});
