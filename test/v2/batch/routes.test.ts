import assert from 'node:assert/strict';
import { HOSTING_COST } from '../../support/costs.ts';
import { startWorld, type World } from '../../support/world.ts';

interface Result {
  success?: number;
  id?: number;
  error?: { code: string; data: { status: number } };
  [field: string]: unknown;
}
const resultCodes = (results: Result[]): unknown[] =>
  results.map(({ success, id, error }) => (error ? [id, error.code, error.data.status] : success));

describe('v2 batches with every kind of record', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 5, connect: 3 });
  });
  after(() => world.close());

  const send = async (path: string, body: unknown) => (await world.request('POST', `/api/v2${path}`, { body })).body;

  it('when records of every kind are created, then only invalid items fail', async () => {
    const { url, admin, adminPassword } = world.site(3);
    const cost = { ...HOSTING_COST, name: 'Hosting', sites: [world.siteId(0)] };
    const body = await send('/batch', {
      tags: { create: [{ name: 'shops' }, 5, { name: 'shops' }] },
      sites: { create: [{ url, admin, adminpassword: adminPassword }, { url: 'nonsense', admin }, {}] },
      clients: { create: [{ name: 'Ada', client_email: 'ada@example.com' }, { client_email: 'x' }] },
      costs: { create: [cost, { ...cost, price: 'much' }] },
      updates: { create: [{ site: world.siteId(1), type: 'translations' }, { site: 99_999 }] },
    });
    assert.deepEqual(Object.keys(body).sort(), ['clients', 'costs', 'sites', 'tags', 'updates']);
    assert.deepEqual(resultCodes(body.tags.create), [
      1,
      [0, 'rest_invalid_param', 400],
      [0, 'svc_already_exists', 409],
    ]);
    assert.deepEqual(resultCodes(body.sites.create), [1, [0, 'svc_invalid_url', 400], [0, 'rest_invalid_param', 400]]);
    assert.deepEqual(resultCodes(body.clients.create), [1, [0, 'rest_invalid_param', 400]]);
    assert.deepEqual(resultCodes(body.costs.create), [1, [0, 'rest_invalid_param', 400]]);
    assert.deepEqual(resultCodes(body.updates.create), [1, [0, 'svc_site_not_found', 404]]);
    const { body: alone } = await world.request('GET', `/api/v2/costs/${body.costs.create[0].data.id}`);
    assert.deepEqual(body.costs.create[0].data, alone.data);
  });

  it('when a batch calls actions on sites, then each item has the result of its single route', async () => {
    const [first, second, third] = world.siteIds as [number, number, number];
    world.site(1).fault = { kind: 'refuse' };
    const body = await send('/batch', {
      sites: {
        sync: [first, second, 99_999, 'a'],
        check: [third],
        plugins: [first],
        themes: [first],
        security: [first],
        'non-mainwp-changes': [first],
        suspend: [third],
      },
    });
    world.site(1).fault = null;
    assert.deepEqual(resultCodes(body.sites.sync), [
      1,
      [second, 'svc_site_unreachable', 503],
      [99_999, 'svc_site_not_found', 404],
      [0, 'rest_invalid_param', 400],
    ]);
    for (const action of ['check', 'plugins', 'themes', 'security', 'non-mainwp-changes', 'suspend'])
      assert.deepEqual(resultCodes(body.sites[action]), [1], action);
    const { body: plugins } = await world.request('GET', `/api/v2/sites/${first}/plugins`);
    assert.deepEqual(body.sites.plugins[0].data, plugins.data);
    assert.equal((await world.request('GET', `/api/v2/sites/${third}`)).body.data.status, 'suspended');
  });

  it('when a batch for one resource updates and deletes records, then unknown IDs are reported as errors', async () => {
    const [first, second] = world.siteIds as [number, number];
    const sites = await send('/sites/batch', {
      update: [
        { id: first, name: 'Renamed' },
        { id: 99_999, name: 'x' },
      ],
      disconnect: [second],
      delete: [second],
    });
    // Removals come before the actions, so there is nothing left to disconnect.
    assert.deepEqual(Object.keys(sites), ['update', 'delete', 'disconnect']);
    assert.deepEqual(resultCodes(sites.update), [1, [99_999, 'svc_site_not_found', 404]]);
    assert.deepEqual(resultCodes(sites.delete), [1]);
    assert.deepEqual(resultCodes(sites.disconnect), [[second, 'svc_site_not_found', 404]]);
    assert.equal((await world.request('GET', `/api/v2/sites/${first}`)).body.data.name, 'Renamed');

    const { create } = await send('/clients/batch', { create: [{ name: 'Bob' }] });
    const bob = create[0].data.id;
    const clients = await send('/clients/batch', { update: [{ id: bob, city: 'Turin' }], delete: [bob, bob] });
    assert.deepEqual(resultCodes(clients.update), [1]);
    assert.deepEqual(resultCodes(clients.delete), [1, [bob, 'svc_client_not_found', 404]]);
  });

  it('when a cost item has an unknown product type, then it fails alone, and other edits keep omitted fields', async () => {
    const sites = [world.siteId(0)];
    const fields = { name: 'Care', price: 5, product_type: 'hosting', note: 'Discount', sites };
    const { create } = await send('/costs/batch', { create: [fields, { ...fields, product_type: 'none' }] });
    assert.deepEqual(resultCodes(create), [1, [0, 'rest_invalid_param', 400]]);
    const { id } = create[0].data;
    const { update } = await send('/costs/batch', {
      create: [],
      update: [
        { id, product_type: 'none' },
        { id, payment_method: 'none' },
        { id, price: 7 },
      ],
    });
    assert.deepEqual(resultCodes(update), [[id, 'rest_invalid_param', 400], [id, 'rest_invalid_param', 400], 1]);
    const {
      name,
      price,
      product_type,
      note,
      sites: kept,
    } = (await world.request('GET', `/api/v2/costs/${id}`)).body.data;
    assert.deepEqual({ name, price, product_type, note, sites: kept }, { ...fields, price: 7 });
  });

  it('when the module cost-tracker is off, then only cost items fail', async () => {
    await world.request('PUT', '/api/v2/modules/cost-tracker', { body: { active: false } });
    const body = await send('/batch', {
      costs: { create: [{ name: 'x' }] },
      tags: { create: [{ name: 'all the same' }] },
    });
    assert.deepEqual(resultCodes(body.costs.create), [[0, 'svc_module_not_available', 404]]);
    const deleted = await send('/costs/batch', { delete: [1] });
    assert.deepEqual(resultCodes(deleted.delete), [[1, 'svc_module_not_available', 404]]);
    assert.deepEqual(resultCodes(body.tags.create), [1]);
    await world.request('PUT', '/api/v2/modules/cost-tracker', { body: { active: true } });
  });
});
