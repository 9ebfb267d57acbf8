import assert from 'node:assert/strict';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/sites';

interface Listed {
  id: number;
  name: string;
  tags?: Record<string, string>;
}

describe('v2 pages of all sites', () => {
  let world: World;
  let tag: number;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 3 });
    tag = await createTag(world, 'shops', world.siteId(0));
  });
  after(() => world.close());

  const page = async (query = ''): Promise<{ data: Listed[]; total: number }> =>
    (await world.request('GET', `${BASE}?${query}`)).body;
  const tagsOf = (data: Listed[], index: number) => data.find(({ id }) => id === world.siteId(index))?.tags;

  it('when a page is requested again, then it takes one statement, also with tags and after a sync', async () => {
    for (const query of ['', 'per_page=2&page=2', 'orderby=name&order=desc', 'with_tags=false']) {
      await page(query);
      assert.equal(await world.countStatements(() => page(query)), 1, query);
    }
    await world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(0)] });
    await page();
    assert.equal(await world.countStatements(() => page()), 1);
  });

  it('when sites or tags have changed, then their number and the tags are read once more', async () => {
    await page();
    await world.container.database.knex('revisions').increment('value', 1);
    const sent = await world.statementsOf(() => page());
    assert.deepEqual(
      sent.map((sql) => /^select (count|site_tags|sites)/.exec(sql)?.[1]),
      ['sites', 'site_tags', 'count'],
    );
    assert.equal(await world.countStatements(() => page()), 1);
  });

  it('when a tag is assigned, renamed or deleted, then the next page shows it', async () => {
    const edit = (tags: number[]) => world.ability('update-site-v1', { site_id_or_domain: world.siteId(1), tags });
    assert.deepEqual(tagsOf((await page()).data, 0), { [tag]: 'shops' });
    assert.deepEqual(tagsOf((await page()).data, 1), {});
    await edit([tag]);
    assert.deepEqual(tagsOf((await page()).data, 1), { [tag]: 'shops' });
    await world.request('PUT', `/api/v2/tags/${tag}/edit`, { body: { name: 'stores' } });
    const renamed = (await page()).data;
    assert.deepEqual([tagsOf(renamed, 0), tagsOf(renamed, 1)], [{ [tag]: 'stores' }, { [tag]: 'stores' }]);
    await edit([]);
    assert.deepEqual(tagsOf((await page()).data, 1), {});
    await world.request('DELETE', `/api/v2/tags/${tag}/remove`);
    assert.deepEqual(tagsOf((await page()).data, 0), {});
    assert.equal((await page('with_tags=false')).data[0]?.tags, undefined);
  });

  it('when pages follow each other in any order, then they have the sites of one page in this order', async () => {
    for (const order of ['orderby=url', 'orderby=name&order=desc', 'orderby=id&order=desc']) {
      const all = (await page(order)).data.map(({ id }) => id);
      assert.equal(all.length, 3);
      const single = [];
      for (const number of [1, 2, 3]) {
        const { data, total } = await page(`${order}&per_page=1&page=${number}`);
        assert.equal(total, 3);
        single.push(...data.map(({ id }) => id));
      }
      assert.deepEqual(single, all);
    }
    const beyond = await page('page=9');
    assert.deepEqual([beyond.data, beyond.total], [[], 3]);
  });
});
