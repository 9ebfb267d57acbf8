import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import type { ChildStats } from '../../../src/connector/child-site.ts';
import { bumpRevision } from '../../../src/db/revisions.ts';
import { InventoryReadModel, type ItemFilter } from '../../../src/domains/inventory/index.ts';
import { DAY } from '../../../src/shared/clock.ts';
import { recordStatements, withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import {
  abandoned,
  ALL_ITEMS,
  completeAbandoned,
  insertSite,
  readModelAt,
  NOON,
  plugin,
  storeReport,
  theme,
} from './support.ts';

describe('inventory lists', () => {
  let opened: TestDatabase;
  withFreshDatabase((fresh) => (opened = fresh));

  const addSite = (urlKey: string) => insertSite(opened, urlKey);
  const store = (site: { id: number; urlKey: string }, parts: Partial<ChildStats>) => storeReport(opened, site, parts);
  const lists = (now = NOON, days = 730) => readModelAt(opened, now, days);

  describe('plugins and themes of a site', () => {
    const addUpdate = (siteId: number, type: string, slug: string, ignored: number) =>
      opened.database.knex('site_updates').insert({
        site_id: siteId,
        type,
        slug,
        name: slug,
        current_version: '1.0',
        new_version: '2.0',
        site_key: 'any',
        ignored,
      });

    it('when plugins are listed, then they are ordered by slug, with pending updates that are not ignored', async () => {
      const [site, other] = [await addSite('one.example'), await addSite('two.example')];
      await store(site, {
        plugins: [
          plugin('c/c.php'),
          plugin('B/b.php', { active: true }),
          plugin('a/a.php', { active: true }),
          plugin('d'),
        ],
      });
      await store(other, { plugins: [plugin('z/z.php')] });
      await addUpdate(site.id, 'plugin', 'a/a.php', 0);
      await addUpdate(site.id, 'plugin', 'c/c.php', 0);
      await addUpdate(site.id, 'plugin', 'B/b.php', 1);
      await addUpdate(site.id, 'theme', 'd', 0);
      await addUpdate(other.id, 'plugin', 'd', 0);
      const list = async (filter: Partial<ItemFilter>) =>
        (await lists().plugins(site.id, { ...ALL_ITEMS, ...filter })).map(
          ({ slug, active, updateVersion }) => `${slug} ${active} ${updateVersion}`,
        );
      const [b, a, c, d] = ['B/b.php true null', 'a/a.php true 2.0', 'c/c.php false 2.0', 'd false null'];
      assert.deepEqual(await list({}), [b, a, c, d]);
      assert.deepEqual(await list({ status: 'active' }), [b, a]);
      assert.deepEqual(await list({ status: 'inactive' }), [c, d]);
      assert.deepEqual(await list({ hasUpdate: true }), [a, c]);
      assert.deepEqual(await list({ hasUpdate: true, status: 'inactive' }), [c]);
    });

    it('when a filter excludes the active theme, then activeTheme still names it', async () => {
      const site = await addSite('one.example');
      await store(site, { themes: [theme('b', { active: true }), theme('a')] });
      await addUpdate(site.id, 'theme', 'a', 0);
      await addUpdate(site.id, 'plugin', 'b', 0);
      const { activeTheme, themes } = await lists().themes(site.id, { status: 'inactive', hasUpdate: true });
      assert.equal(activeTheme, 'b');
      assert.deepEqual(themes, [{ slug: 'a', name: 'A', version: '1.0', active: false, updateVersion: '2.0' }]);
      const all = await lists().themes(site.id, ALL_ITEMS);
      assert.deepEqual(
        all.themes.map(({ slug, updateVersion }) => [slug, updateVersion]),
        [
          ['a', '2.0'],
          ['b', null],
        ],
      );
    });

    it('when a site was never synced, then the lists are empty', async () => {
      const site = await addSite('new.example');
      assert.deepEqual(await lists().plugins(site.id, ALL_ITEMS), []);
      assert.deepEqual(await lists().themes(site.id, ALL_ITEMS), { activeTheme: null, themes: [] });
    });
  });

  describe('abandoned plugins and themes of all sites', () => {
    const page = { page: 1, perPage: 50 };

    it('when items are old enough in whole days, then they are listed by site and slug', async () => {
      const [b, a] = [await addSite('b.example'), await addSite('a.example')];
      const limit = NOON - 730 * DAY;
      await store(b, {
        abandoned: completeAbandoned([
          abandoned('plugin', 'z', limit),
          abandoned('plugin', 'b', limit - 300 * DAY),
          abandoned('theme', 'old', limit - DAY),
          abandoned('plugin', 'young', limit + DAY),
        ]),
      });
      await store(a, {
        abandoned: completeAbandoned([abandoned('plugin', 'm', limit - DAY), abandoned('theme', 'm', limit + DAY)]),
      });
      const list = lists();
      const { items, total } = await list.abandoned({ scope: ALL_SITES, kind: 'plugin' }, page);
      assert.deepEqual(
        items.map(({ siteUrl, slug }) => `${siteUrl} ${slug}`),
        ['https://a.example/ m', 'https://b.example/ b', 'https://b.example/ z'],
      );
      assert.equal(total, 3);
      assert.deepEqual(items[2], {
        siteId: b.id,
        siteUrl: 'https://b.example/',
        slug: 'z',
        name: 'Z',
        version: '1.0',
        lastUpdatedAt: limit,
      });
      const themes = await list.abandoned({ scope: ALL_SITES, kind: 'theme' }, page);
      assert.deepEqual([themes.total, themes.items[0]?.slug], [1, 'old']);
      const ofSite = await list.abandoned({ scope: ALL_SITES, kind: 'plugin', siteId: b.id }, page);
      assert.deepEqual([ofSite.total, ofSite.items.map(({ slug }) => slug)], [2, ['b', 'z']]);
      assert.equal((await lists(NOON, 731).abandoned({ scope: ALL_SITES, kind: 'plugin' }, page)).total, 2);
    });

    it('when the day, the threshold or the stored items change, then the list is recomputed, otherwise it is cached', async () => {
      const site = await addSite('a.example');
      let [now, days] = [NOON, 730];
      const list = new InventoryReadModel(opened.database.knex, { now: () => now }, () => days);
      const read = () => list.abandoned({ scope: ALL_SITES, kind: 'plugin' }, page);
      await store(site, {
        abandoned: completeAbandoned([
          abandoned('plugin', 'x', NOON - 730 * DAY),
          abandoned('plugin', 'y', NOON - 729 * DAY),
        ]),
      });
      assert.equal((await read()).total, 1);
      const again = await recordStatements(opened.database.knex, read);
      assert.equal(again.filter((sql) => sql.includes('count(')).length, 0);
      now += DAY;
      assert.equal((await read()).total, 2);
      days = 800;
      assert.equal((await read()).total, 0);
      days = 730;
      await store(site, { abandoned: completeAbandoned([]) });
      await bumpRevision(opened.database.knex, 'abandoned');
      assert.deepEqual(await read(), { items: [], page: 1, perPage: 50, total: 0 });
    });

    it('when all pages are read, then no item is missing or repeated, and the page after the last is empty', async () => {
      for (const key of ['c.example', 'a.example', 'b.example'])
        await store(await addSite(key), {
          abandoned: completeAbandoned(['q', 'p', 'r'].map((slug) => abandoned('plugin', slug, 0))),
        });
      const list = lists();
      const seen: string[] = [];
      for (const at of [1, 2, 3, 4]) {
        const { items, total } = await list.abandoned({ scope: ALL_SITES, kind: 'plugin' }, { page: at, perPage: 4 });
        assert.equal(total, 9);
        seen.push(...items.map(({ siteUrl, slug }) => `${siteUrl.slice(8, 9)}${slug}`));
      }
      assert.deepEqual(seen, ['ap', 'aq', 'ar', 'bp', 'bq', 'br', 'cp', 'cq', 'cr']);
    });

    for (const size of [10, 1000])
      it(`when there are ${size} sites, then the list needs the same four SQL statements`, async () => {
        const { knex } = opened.database;
        const ids = Array.from({ length: size }, (_, at) => at + 1);
        const url_key = (id: number) => `s${String(id).padStart(5, '0')}.example`;
        for (let start = 0; start < size; start += 200) {
          const part = ids.slice(start, start + 200);
          await knex('sites').insert(
            part.map((id) => ({
              id,
              url: `https://${url_key(id)}/`,
              url_key: url_key(id),
              name: 'x',
              name_key: 'x',
              status: 'connected',
              created_at: 1,
              updated_at: 1,
            })),
          );
          await knex('site_abandoned').insert(
            part.map((site_id) => ({
              site_id,
              kind: 'plugin',
              slug: 'old',
              name: 'Old',
              version: '1',
              last_updated_at: 0,
              site_key: url_key(site_id),
            })),
          );
        }
        const list = lists();
        let total = 0;
        const sent = await recordStatements(opened.database.knex, async () => {
          total = (await list.abandoned({ scope: ALL_SITES, kind: 'plugin' }, { page: 1, perPage: 50 })).total;
        });
        assert.equal(total, size);
        assert.equal(sent.length, 4);
      });
  });
});
