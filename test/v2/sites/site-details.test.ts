import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { withWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/sites';
interface Change {
  type: string;
  context: string;
  action: string;
  source: string;
}

describe('v2 site details', () => {
  let world: World;
  let id: number;
  withWorld({ sites: 2 }, (started) => {
    world = started;
    id = world.siteId(0);
  });

  const read = async (tail: string) => (await world.request('GET', `${BASE}/${id}/${tail}`)).body;

  it('when security is read, then each flag has the value from the child, or null', async () => {
    const { data, site } = await read('security');
    const stored = await world.container.database.knex('site_security').where({ site_id: id }).select('flag', 'value');
    assert.equal(stored.length, 10);
    assert.deepEqual(data, Object.fromEntries(stored.map(({ flag, value }) => [flag, value])));
    assert.equal(site.id, id);
    await world.container.database.knex('site_security').where({ site_id: id, flag: 'db_reporting' }).delete();
    assert.equal((await read('security')).data.db_reporting, null);
  });

  it('when changes are read, then those from wp-admin are the default, and the filters combine', async () => {
    world.site(0).performWpAdminAction({ do: 'install-plugin', folder: 'alpha' });
    world.site(0).performWpAdminAction({ do: 'activate-plugin', plugin: 'alpha/alpha.php' });
    await world.request('POST', `${BASE}/${id}/sync`);
    await world.request('POST', `${BASE}/${id}/suspend`);
    await world.request('POST', `${BASE}/${id}/unsuspend`);
    const changes = async (query: string): Promise<Change[]> =>
      (await read(`non-svc-changes?per_page=500&${query}`)).data;
    const types = (found: Change[]): string[] => found.map(({ type }) => type);
    const ours = await changes('source=dashboard');
    assert.deepEqual(types(ours), ['site.unsuspended', 'site.suspended', 'site.added']);
    assert.ok(ours.every(({ source }) => source === 'dashboard'));
    const theirs = await changes('');
    assert.ok(theirs.length > 0 && theirs.every(({ source }) => source === 'wpadmin'));
    const all = await changes('source=all');
    assert.equal(all.length, ours.length + theirs.length);
    assert.deepEqual(types(await changes('source=all&order=asc')), types(all).reverse());
    assert.deepEqual(types(await changes('source=all&actions=suspended,added&contexts=site')), [
      'site.suspended',
      'site.added',
    ]);
    assert.deepEqual(await changes('source=all&contexts=sit_,SITE'), []);
    assert.deepEqual(await changes('source=all&actions=%25'), []);
    const contexts = [...new Set(theirs.map(({ context }) => context))];
    for (const context of contexts)
      assert.deepEqual(
        types(await changes(`contexts=${context}`)),
        types(theirs.filter((change) => change.context === context)),
      );
    const page = await read('non-svc-changes?source=all&per_page=1&page=2');
    assert.deepEqual([page.data[0].type, page.total, page.site.id], ['site.suspended', all.length, id]);
    const { timestamp, created, context, action } = page.data[0];
    assert.deepEqual([Date.parse(timestamp) / 1000, context, action], [created, 'site', 'suspended']);
    const refused = await world.request('GET', `${BASE}/${id}/non-svc-changes?source=child`, { expect: 400 });
    assert.equal(refused.body.data.errors[0].path, 'query.source');
  });

  it('when the client is read, then the response has the client of the site, or null', async () => {
    assert.deepEqual((await read('client')).data, null);
    const ada = await world.ability('add-client-v1', {
      name: 'Ada',
      client_email: 'ada@example.com',
      selected_sites: [id],
    });
    const { data, site } = await read('client');
    assert.deepEqual(data, { id: ada.id, name: 'Ada', email: 'ada@example.com', status: 'active' });
    assert.equal(site.client_id, ada.id);
  });

  it('when the costs are read, then the amounts are those of get-site-costs-v1', async () => {
    assert.deepEqual((await read('costs')).data, []);
    const targets = world.siteIds.map((target) => ({ kind: 'site' as const, id: target }));
    const cost = { name: 'Hosting', price: 10, licenseType: 'multi_site' as const, renewalType: 'monthly' as const };
    await world.container.services.costs.costs.create(ALL_SITES, { ...cost, targets }, 'test');
    const { data, total, total_monthly, total_yearly } = await read('costs');
    const ability = await world.ability('get-site-costs-v1', { site_id_or_domain: id });
    assert.deepEqual([data, total_monthly, total_yearly], [ability.costs, ability.total_monthly, ability.total_yearly]);
    assert.deepEqual([total, total_monthly, data[0].amount], [1, 5, 5]);
    assert.deepEqual((await read('costs?_fields=name')).data, [{ id: data[0].id, name: 'Hosting' }]);
  });

  it('when the site is unknown or the module is off, then the error is 404', async () => {
    for (const tail of ['security', 'non-svc-changes', 'client', 'costs']) {
      const { body } = await world.request('GET', `${BASE}/99999/${tail}`, { as: 'reader', expect: 404 });
      assert.equal(body.code, 'svc_site_not_found');
      await world.request('GET', `${BASE}/${id}/${tail}?nope=1`, { expect: 400 });
    }
    for (const [module, tail] of [
      ['logs', 'non-svc-changes'],
      ['cost-tracker', 'costs'],
    ]) {
      await world.request('PUT', `/api/v2/modules/${module}`, { body: { active: false } });
      const { body } = await world.request('GET', `${BASE}/${id}/${tail}`, { expect: 404 });
      assert.equal(body.code, 'svc_module_not_available');
    }
  });
});
