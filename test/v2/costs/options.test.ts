import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/settings/cost-tracker';

describe('v2 product types and payment methods', () => {
  let world: World;
  let client: number;
  before(async () => {
    world = await startWorld();
    client = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Ann' } })).body.data.id;
  });
  after(() => world.close());

  const call = async (method: string, path: string, body?: unknown, options: object = {}) =>
    (await world.request(method, `${BASE}/${path}`, { ...(body ? { body } : {}), ...options })).body;
  const group = async () => (await world.request('GET', BASE)).body.data;
  const addCost = (fields: object, expect = 200) =>
    world.request('POST', '/api/v2/costs/add', { body: { name: 'X', price: 1, clients: [client], ...fields }, expect });

  it('when nothing was added, then the built-in product types and payment methods are listed', async () => {
    const { product_categories: types, payment_methods: methods } = await group();
    assert.deepEqual(
      types.map(({ slug }: { slug: string }) => slug),
      ['hosting', 'other', 'plugin', 'service', 'theme'],
    );
    assert.deepEqual(types[2], { slug: 'plugin', title: 'Plugin', icon: 'default:plug', color: '#5ec130' });
    assert.deepEqual(Object.keys(methods).sort(), [
      ...['amazon', 'apple', 'cash', 'credit_debit', 'debit_card', 'google', 'paypal', 'stripe'],
    ]);
  });

  it('when a product type is added, edited and deleted, then costs can use it until it is deleted', async () => {
    const before = await group();
    const added = await call('POST', 'product-types/add', { title: ' Lizenzen für Émil ' });
    const slug = 'lizenzen-fur-emil';
    assert.deepEqual(added.data, { [slug]: { title: 'Lizenzen für Émil', color: '#34424d', icon: 'default:folder' } });
    const { data: cost } = (await addCost({ product_type: slug })).body;
    for (const [method, edit, expected] of [
      ['PUT', { color: '#FFF', icon: 'set:key' }, { color: '#ffffff', icon: 'set:key' }],
      ['PATCH', { title: 'Licences', icon: null }, { title: 'Licences', color: '#ffffff', icon: 'default:folder' }],
      ['POST', { color: null }, { title: 'Licences', color: '#34424d' }],
    ] as const) {
      const { data } = await call(method, `product-types/${slug}/edit`, edit);
      assert.deepEqual({ ...data[slug], ...expected }, data[slug]);
    }
    const inUse = await call('DELETE', `product-types/${slug}/delete`, undefined, { expect: 409 });
    assert.deepEqual([inUse.code, /\(1\)/.test(inUse.message)], ['svc_in_use', true]);
    await world.request('PUT', `/api/v2/costs/${cost.id}/edit`, { body: { product_type: 'plugin' } });
    await call('DELETE', `product-types/${slug}/delete`);
    assert.deepEqual(await group(), before);
    const refused = (await addCost({ product_type: slug }, 400)).body;
    assert.deepEqual(
      refused.data.errors.map(({ path }: { path: string }) => path),
      ['body.product_type'],
    );
  });

  it('when a payment method is added, edited and deleted, then costs can use it until it is deleted', async () => {
    const { data } = await call('POST', 'payment-methods/add', { title: 'Bank transfer' });
    assert.deepEqual(data, { 'bank-transfer': 'Bank transfer' });
    const renamed = await call('PUT', 'payment-methods/bank-transfer/edit', { title: 'Wire' });
    assert.deepEqual(renamed.data, { 'bank-transfer': 'Wire' });
    assert.equal((await group()).payment_methods['bank-transfer'], 'Wire');
    const { id } = (await addCost({ payment_method: 'bank-transfer' })).body.data;
    const inUse = await call('DELETE', 'payment-methods/bank-transfer/delete', undefined, { expect: 409 });
    assert.equal(inUse.code, 'svc_in_use');
    await world.request('PUT', `/api/v2/costs/${id}/edit`, { body: { payment_method: 'cash' } });
    await call('DELETE', 'payment-methods/bank-transfer/delete');
    const refused = await world.request('PUT', `/api/v2/costs/${id}/edit`, {
      body: { payment_method: 'bank-transfer' },
      expect: 400,
    });
    assert.equal(refused.body.data.errors[0].path, 'body.payment_method');
  });

  it('when a title is taken in any case, then it is rejected; a taken slug gets a number', async () => {
    for (const [path, title] of [
      ['product-types/add', 'PLUGIN'],
      ['payment-methods/add', 'paypal'],
    ] as const)
      assert.equal((await call('POST', path, { title }, { expect: 409 })).code, 'svc_already_exists');
    const { data } = await call('POST', 'product-types/add', { title: 'Plugin!' });
    assert.deepEqual(Object.keys(data), ['plugin-2']);
    const taken = await call('PUT', 'product-types/plugin-2/edit', { title: 'Theme' }, { expect: 409 });
    assert.equal(taken.code, 'svc_already_exists');
    assert.deepEqual(Object.keys((await call('POST', 'product-types/add', { title: '日本' })).data), ['product-type']);
    for (const slug of ['plugin-2', 'product-type']) await call('DELETE', `product-types/${slug}/delete`);
  });

  it('when an option is built in, then it can be neither renamed nor deleted', async () => {
    const refusals = [
      await call('PUT', 'product-types/plugin/edit', { title: 'Extension' }, { expect: 409 }),
      await call('DELETE', 'product-types/plugin/delete', undefined, { expect: 409 }),
      await call('PUT', 'payment-methods/cash/edit', { title: 'Coins' }, { expect: 409 }),
      await call('DELETE', 'payment-methods/cash/delete', undefined, { expect: 409 }),
    ];
    assert.deepEqual(new Set(refusals.map(({ code }) => code)), new Set(['svc_built_in']));
    const { data } = await call('PUT', 'product-types/plugin/edit', { title: 'Plugin', color: '#000' });
    assert.deepEqual(data, { plugin: { title: 'Plugin', color: '#000000', icon: 'default:plug' } });
  });

  it('when an option is unknown or a field is invalid, then the request is rejected', async () => {
    for (const [path, code] of [
      ['product-types', 'svc_product_type_not_found'],
      ['payment-methods', 'svc_payment_method_not_found'],
    ] as const) {
      assert.equal((await call('PUT', `${path}/nope/edit`, { title: 'X' }, { expect: 404 })).code, code);
      assert.equal((await call('DELETE', `${path}/nope/delete`, undefined, { expect: 404 })).code, code);
      await call('POST', `${path}/add`, { title: ' ' }, { expect: 400 });
    }
    for (const bad of [{ color: 'red' }, { icon: 'folder' }])
      await call('POST', 'product-types/add', { title: 'Y', ...bad }, { expect: 400 });
    await call('POST', 'product-types/add', { title: 'Y' }, { as: 'writer', expect: 403 });
  });
});
