import assert from 'node:assert/strict';
import { createLookup } from '../safety/address-forms.ts';
import { createTag } from '../support/tags.ts';
import { createClient } from '../support/clients.ts';
import { storeSite, syncSites, updateSite } from '../support/sites.ts';
import { ALPHA, removeItemsWithUpdates } from '../support/updates.ts';
import { FeedServer, listExposures, osvRecord, refreshFeeds, useOsvFeeds } from '../support/vulnerabilities.ts';
import { startWorld, type World } from '../support/world.ts';

// Two spellings of the same names: one letter, and a letter with a combining mark.
const [COMPOSED, DECOMPOSED] = ['Caf\u00e9 M\u00fcller', 'Cafe\u0301 Mu\u0308ller'];

describe('names outside ASCII', () => {
  let world: World;
  const addresses: Record<string, string[]> = {};
  before(async () => {
    world = await startWorld({ sites: 2, connect: 0, overrides: { outbound: { lookup: createLookup(addresses) } } });
    await world.freshSite((site) => {
      removeItemsWithUpdates(site);
      const alpha = site.state.plugins.get(ALPHA) ?? assert.fail();
      alpha.definition = { ...alpha.definition, name: 'Das ÜBERSICHTS-Plugin Cafe\u0301' };
      alpha.update = '9.1';
    });
  });
  after(() => world.close());

  it('when a plugin has capitals outside ASCII, then searches of updates and exposures find it', async () => {
    const feed = await FeedServer.start();
    feed.content = [osvRecord('alpha', '99', { summary: 'ÄNDERUNG von Daten' })];
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
    await feed.close();
    const updates = async (search: string): Promise<number> =>
      (await world.request('GET', `/api/v2/updates?search=${encodeURIComponent(search)}`)).body.total;
    const exposures = async (search: string): Promise<number> =>
      (await listExposures(world, `&search=${encodeURIComponent(search)}`)).total;
    for (const search of ['übersicht', 'ÜBERSICHT', 'Übersichts-plugin', 'caf\u00e9', 'CAFE\u0301', 'das ü', 'alpha'])
      assert.deepEqual([await updates(search), await exposures(search)], [1, 1], search);
    assert.equal(await exposures('änderung'), 1);
    for (const search of ['ubersicht', 'überall', 'ü*', '[ü]'])
      assert.deepEqual([await updates(search), await exposures(search)], [0, 0], search);
    const path = `/api/v2/sites/${world.siteId(0)}/plugins?search=${encodeURIComponent('caf\u00e9')}`;
    assert.equal((await world.request('GET', path)).body.data.length, 1);
  });

  it('when a site has an international domain, then its name is in Unicode, and both forms find it', async () => {
    const { url, admin, adminPassword } = world.site(1);
    const { hostname, port } = new URL(url);
    addresses['xn--bcher-kva.example'] = [hostname];
    const added = await world.ability('add-site-v1', {
      ...{ url: `http://BÜCHER.example:${port}/`, admin, admin_password: adminPassword },
    });
    const site = (await world.request('GET', `/api/v2/sites/${added.site_id ?? added.id}`)).body.data;
    assert.equal(site.name, `bücher.example:${port}`);
    assert.equal(site.url, `http://xn--bcher-kva.example:${port}/`);
    const found = async (search: string): Promise<number[]> =>
      (await world.ability('list-sites-v1', { search })).items.map(({ id }: { id: number }) => id);
    const searches = ['bücher', 'BÜCHER.example', 'bu\u0308cher', 'xn--bcher', 'cher.example'];
    for (const search of searches) assert.deepEqual(await found(search), [site.id], search);
    await updateSite(world, site.id, { name: 'Laden' });
    for (const search of [...searches, 'laden']) assert.deepEqual(await found(search), [site.id], search);
    assert.deepEqual(await found('bücherei'), []);
    for (const reference of [`bücher.example:${port}`, `xn--bcher-kva.example:${port}`]) {
      const { body } = await world.request('GET', `/api/v2/sites/${encodeURIComponent(reference)}`);
      assert.deepEqual([body.data.id, body.data.name], [site.id, 'Laden'], reference);
    }
    await syncSites(world, site.id);
  });

  it('when an international site has a long name, then the name is searched as before', async () => {
    const { knex } = world.container.database;
    const id = await storeSite(knex, 'xn--mller-kva.example');
    await knex('site_secrets').insert({ site_id: id, server: world.url });
    const name = `${'n'.repeat(250)}Ende`;
    await updateSite(world, id, { name });
    const { items } = await world.ability('list-sites-v1', { search: 'nende' });
    assert.deepEqual(
      items.map((site: { id: number }) => site.id),
      [id],
    );
  });

  it('when two names differ only in their Unicode spelling, then they are one name', async () => {
    const id = await createTag(world, DECOMPOSED);
    const tag = (await world.request('GET', `/api/v2/tags/${id}`)).body.data;
    assert.equal(tag.name, COMPOSED);
    for (const name of [COMPOSED, DECOMPOSED, DECOMPOSED.toUpperCase()]) {
      const { body } = await world.request('POST', '/api/v2/tags/add', { body: { name }, expect: 409 });
      assert.equal(body.code, 'svc_already_exists', name);
    }
    const fields = { body: { name: COMPOSED } };
    await world.request('POST', '/api/v2/clients/fields/add', fields);
    await world.request('POST', '/api/v2/clients/fields/add', { body: { name: DECOMPOSED }, expect: 409 });
    const types = '/api/v2/settings/cost-tracker/product-types/add';
    await world.request('POST', types, { body: { title: COMPOSED } });
    await world.request('POST', types, { body: { title: DECOMPOSED }, expect: 409 });
  });

  it('when a name is searched in another Unicode spelling, then it is found', async () => {
    await createClient(world, DECOMPOSED);
    for (const [path, field] of [
      ['clients', 'name'],
      ['tags', 'name'],
      ['clients/fields', 'name'],
    ] as const)
      for (const search of [COMPOSED, DECOMPOSED, 'CAFE\u0301', 'caf\u00e9 m\u00fc']) {
        const { body } = await world.request('GET', `/api/v2/${path}?search=${encodeURIComponent(search)}`);
        assert.deepEqual(
          body.data.map((each: Record<string, string>) => each[field]),
          [COMPOSED],
          `${path} ${search}`,
        );
      }
  });
});
