import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../../support/clients.ts';
import { requestsWithin, type RequestByKey } from '../../support/limited-keys.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const UNKNOWN = 999_999;
/** Time in which a request reaches a row that a test has locked, in milliseconds. */
const LOCK_WAIT = 300;

describe('v2 costs of limited callers', () => {
  let world: World;
  let limited: RequestByKey;
  /** The limit has all sites of `bakery`, and one of the two of `museum`. */
  let bakery: number;
  let museum: number;
  let idle: number;
  /** `shops` is also on the site outside. */
  let [shops, inside, unused] = [0, 0, 0];
  let [oven, shop, hall, outside] = [0, 0, 0, 0];

  before(async () => {
    world = await startWorld();
    [bakery, museum, idle] = [
      await createClient(world, 'Bakery'),
      await createClient(world, 'Museum'),
      await createClient(world, 'Idle'),
    ];
    [shops, inside, unused] = [
      await createTag(world, 'shops'),
      await createTag(world, 'inside'),
      await createTag(world, 'unused'),
    ];
    oven = (await seedSite(world, { clientId: bakery, tagIds: [shops, inside] })).id;
    shop = (await seedSite(world, { clientId: bakery })).id;
    hall = (await seedSite(world, { clientId: museum })).id;
    outside = (await seedSite(world, { clientId: museum, tagIds: [shops] })).id;
    limited = await requestsWithin(world, { clients: [bakery], sites: [hall] });
  });
  after(() => world.close());

  const add = async (fields: object): Promise<number> =>
    (await world.request('POST', '/api/v2/costs/add', { body: { name: 'Theme', price: 5, ...fields } })).body.data.id;
  const read = async (id: number) => (await world.request('GET', `/api/v2/costs/${id}`)).body.data;
  const countAll = async (): Promise<number> => (await world.request('GET', '/api/v2/costs')).body.total;
  async function notFound(method: string, path: string, body: object | null) {
    let answer = {};
    const statements = await countStatements(world, async () => {
      answer = (await limited(method, path, body, 404)).body;
    });
    return { answer, statements };
  }
  const fieldsOf = ({ name, sites, groups, clients }: Record<string, unknown>) => ({ name, sites, groups, clients });

  it('when a limited caller adds a cost of its sites, then it is added', async () => {
    const body = { name: 'Hosting', price: 9, sites: [hall], clients: [bakery], groups: [inside] };
    const { data } = (await limited('POST', '/costs/add', body)).body;
    assert.deepEqual(fieldsOf(data), { name: 'Hosting', sites: [hall], groups: [inside], clients: [bakery] });
    assert.deepEqual(await read(data.id), data);
  });

  it('when a cost would name what the caller does not see, then it fails like one that does not exist', async () => {
    const id = await add({ sites: [oven] });
    const costs = await countAll();
    for (const [field, unseen] of [
      ['sites', outside],
      ['clients', idle],
      ['groups', unused],
    ] as const)
      for (const [method, path, more] of [
        ['POST', '/costs/add', { name: 'Hosting', price: 9 }],
        ['PUT', `/costs/${id}/edit`, {}],
      ] as const) {
        const named = (target: number) => notFound(method, path, { ...more, [field]: [target] });
        assert.deepEqual(await named(unseen), await named(UNKNOWN), `${method} ${field}`);
      }
    assert.equal(await countAll(), costs);
    assert.deepEqual((await read(id)).sites, [oven]);
  });

  it('when a cost would have sites outside, then it fails with their number and nothing is stored', async () => {
    const id = await add({ sites: [oven] });
    const costs = await countAll();
    for (const fields of [{ clients: [museum] }, { groups: [shops] }, { clients: [museum], groups: [shops] }])
      for (const [method, path, more] of [
        ['POST', '/costs/add', { name: 'Hosting', price: 9 }],
        ['PUT', `/costs/${id}/edit`, { name: 'Renamed' }],
      ] as const) {
        const { code, data } = (await limited(method, path, { ...more, ...fields }, 403)).body;
        assert.deepEqual([code, data], ['svc_outside_limits', { status: 403, sites_outside: 1 }]);
      }
    assert.equal(await countAll(), costs);
    assert.deepEqual(fieldsOf(await read(id)), { name: 'Theme', sites: [oven], groups: [], clients: [] });
  });

  it('when others change the targets outside, then neither the ETag nor updated_at changes', async () => {
    const id = await add({ sites: [hall], clients: [bakery], groups: [inside] });
    await world.container.database.knex('costs').where({ id }).update({ updated_at: 1 });
    const seen = async () => {
      const { body, headers } = await limited('GET', `/costs/${id}`);
      return [body.data.updated_at, headers['etag']];
    };
    const before = await seen();
    assert.equal(before[0], '1970-01-01T00:00:00Z');
    const edit = (body: object) => world.request('PUT', `/api/v2/costs/${id}/edit`, { body });
    for (const targets of [
      { sites: [hall, outside] },
      { sites: [hall], clients: [bakery, idle] },
      { clients: [bakery], groups: [inside, unused] },
    ]) {
      await edit(targets);
      assert.deepEqual(await seen(), before, JSON.stringify(targets));
    }
    await edit({ sites: [] });
    assert.notEqual((await seen())[1], before[1]);
    await edit({ note: 'New' });
    assert.notEqual((await seen())[0], before[0]);
  });

  it('when a cost has sites outside, then it can be read but neither changed nor removed', async () => {
    const more = await seedSite(world, { clientId: museum });
    const id = await add({ clients: [museum], sites: [oven] });
    const before = await read(id);
    assert.deepEqual((await limited('GET', `/costs/${id}`)).body.data.sites, [oven]);
    for (const [method, path, body] of [
      ['PUT', `/costs/${id}/edit`, { name: 'Mine' }],
      ['PATCH', `/costs/${id}/edit`, { clients: [], name: 'Mine' }],
      ['POST', `/costs/${id}/edit`, { name: before.name }],
      ['DELETE', `/costs/${id}/remove`, null],
    ] as const) {
      const { code, data } = (await limited(method, path, body, 403)).body;
      assert.deepEqual([code, data], ['svc_outside_limits', { status: 403, sites_outside: 2 }], method);
    }
    assert.deepEqual(await read(id), before);
    await world.container.database.knex('sites').where({ id: more.id }).update({ client_id: null });
  });

  it('when a cost is about sites outside only, then changing it fails like one that does not exist', async () => {
    const id = await add({ sites: [outside] });
    for (const [method, verb, body] of [
      ['PUT', 'edit', { name: 'Mine' }],
      ['DELETE', 'remove', null],
    ] as const) {
      const named = (cost: number) => notFound(method, `/costs/${cost}/${verb}`, body);
      assert.deepEqual(await named(id), await named(UNKNOWN), verb);
    }
    assert.equal((await read(id)).name, 'Theme');
  });

  it('when a cost gets a site outside while a change of it waits, then the change fails', async () => {
    const id = await add({ sites: [oven] });
    const trx = await world.container.database.knex.transaction();
    await trx('costs').where({ id }).update({ note: 'Locked' });
    await trx('cost_targets').insert({ cost_id: id, kind: 'site', target_id: outside });
    const edit = limited('PUT', `/costs/${id}/edit`, { name: 'Mine' }, 403);
    await setTimeout(LOCK_WAIT);
    await trx.commit();
    assert.deepEqual((await edit).body.data, { status: 403, sites_outside: 1 });
    assert.equal((await read(id)).name, 'Theme');
  });

  it('when a limited caller replaces the lists of a cost, then those that it does not see stay', async () => {
    const id = await add({ sites: [oven], clients: [idle], groups: [unused] });
    const { body, headers } = await limited('GET', `/costs/${id}`);
    assert.deepEqual(fieldsOf(body.data), { name: 'Theme', sites: [oven], groups: [], clients: [] });
    const lists = { sites: [hall], groups: [inside], clients: [] };
    const edited = (await limited('PUT', `/costs/${id}/edit`, lists)).body.data;
    assert.deepEqual(fieldsOf(edited), { name: 'Theme', ...lists });
    const stored = fieldsOf(await read(id));
    assert.deepEqual(stored, { name: 'Theme', sites: [hall], groups: [inside, unused], clients: [idle] });
    await limited('PUT', `/costs/${id}/edit`, { sites: [], groups: [], clients: [] }, 400);
    assert.deepEqual(fieldsOf(await read(id)), stored);
    assert.ok(headers['etag']);
    assert.deepEqual((await limited('DELETE', `/costs/${id}/remove`)).body.data, edited);
  });

  it('when the caller sends the ETag that it read, then its change is made, whatever it does not see', async () => {
    const id = await add({ sites: [oven], groups: [unused] });
    const { token } = (
      await world.request('POST', '/api/v2/rest-api/add-key', {
        body: { scope: 'read_write', limit: { sites: [oven] } },
      })
    ).body.data;
    const headers = { authorization: `Bearer ${token as string}` };
    const { etag = '' } = (await world.request('GET', `/api/v2/costs/${id}`, { as: 'nobody', headers })).headers;
    const edit = (ifMatch: string, expect: number) =>
      world.request('PUT', `/api/v2/costs/${id}/edit`, {
        ...{ as: 'nobody', headers: { ...headers, 'if-match': ifMatch }, body: { name: 'Mine' }, expect },
      });
    await edit('"other"', 412);
    await edit(etag, 200);
  });

  it('when a limited caller sends a batch, then each item has the limits of its route', async () => {
    const [mine, both, theirs] = [
      await add({ sites: [oven] }),
      await add({ clients: [museum] }),
      await add({ sites: [outside] }),
    ];
    const { body } = await limited('POST', '/costs/batch', {
      create: [
        { name: 'a', price: 1, sites: [oven] },
        { name: 'b', price: 1, sites: [outside] },
      ],
      update: [mine, both, theirs].map((id) => ({ id, name: 'Batch' })),
      delete: [mine, both, theirs],
    });
    const codes = (items: { error?: { code: string } }[]) => items.map(({ error }) => error?.code ?? 'ok');
    assert.deepEqual(codes(body.create), ['ok', 'svc_site_not_found']);
    for (const items of [body.update, body.delete])
      assert.deepEqual(codes(items), ['ok', 'svc_outside_limits', 'svc_cost_not_found']);
    assert.equal((await read(both)).name, 'Theme');
  });

  it('when a change of a cost names what the caller does not see, then it is not in its change log', async () => {
    const id = await add({ sites: [oven, outside] });
    const edit = (body: object) => world.request('PUT', `/api/v2/costs/${id}/edit`, { body });
    await edit({ sites: [oven] });
    await edit({ name: 'Only mine' });
    const ofCost = async (request: RequestByKey) =>
      (await request('GET', '/changes?type=cost.updated&per_page=100')).body.data
        .map(({ description }: { description: string }) => description)
        .filter((text: string) => /of the cost (Theme|Only mine)/.test(text));
    assert.deepEqual(await ofCost(limited), ['Changed name of the cost Only mine.']);
    assert.equal(
      (await ofCost(await requestsWithin(world, null))).includes('Changed targets of the cost Theme.'),
      true,
    );
  });

  it('when the limit has every site, then the answers are those of an unlimited caller', async () => {
    const everySite = { sites: [oven, shop, hall, outside] };
    const answers: unknown[] = [];
    for (const request of [await requestsWithin(world, everySite), await requestsWithin(world, null)]) {
      const own: unknown[] = [];
      const send = async (method: string, path: string, body: object | null, status = 200): Promise<number> => {
        const answer = await request(method, path, body, status);
        const id = answer.body.data?.id as number;
        own.push(
          JSON.stringify(answer.body)
            .replaceAll(`"id":${id}`, '"id":0')
            .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'T'),
        );
        return id;
      };
      const names = { sites: [outside], clients: [museum], groups: [shops] };
      const id = await send('POST', '/costs/add', { name: 'Everywhere', price: 3, ...names });
      await send('PUT', `/costs/${id}/edit`, { clients: [bakery, museum], note: 'Edited' });
      await send('PATCH', `/costs/${id}/edit`, { product_type: 'none' }, 400);
      await send('DELETE', `/costs/${id}/remove`, null);
      await send('POST', '/costs/batch', { create: [{ name: 'x', price: 1, sites: [UNKNOWN] }] });
      answers.push(own);
    }
    assert.deepEqual(answers[0], answers[1]);
  });
});
