import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { whileAnotherWrites } from '../../support/limited-writes.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';

describe('v2 limits of sites', () => {
  let world: World;
  let client: number;
  let tag: number;
  before(async () => {
    world = await startWorld({ sites: 4 });
    const post = async (path: string, body: object) =>
      (await world.request('POST', `/api/v2${path}`, { body })).body.data;
    client = (await post('/clients/add', { name: 'Bakery', selected_sites: [world.siteId(0)] })).id;
    tag = (await post('/tags/add', { name: 'shops' })).id;
    const body = { groupids: [tag] };
    await world.request('PUT', `/api/v2/sites/${world.siteId(1)}/edit`, { body });
  });
  after(() => world.close());

  const by = (token: string): { as: 'nobody'; headers: Record<string, string> } => ({
    as: 'nobody',
    headers: { authorization: `Bearer ${token}` },
  });
  const addKey = async (limit: object | null, more: object = {}) =>
    (await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read_write', limit, ...more } })).body.data;
  const visibleTo = async (token: string): Promise<number[]> => {
    const { body } = await world.request('GET', '/api/v2/sites?per_page=100', by(token));
    assert.equal(body.total, body.data.length);
    return body.data.map(({ id }: { id: number }) => id).sort();
  };

  it('when a key is limited, then it sees the sites of its clients, tags and sites together', async () => {
    const both = await addKey({ clients: [client], tags: [tag] });
    assert.deepEqual(both.limit, { clients: [client], tags: [tag], sites: [] });
    assert.deepEqual(await visibleTo(both.token), [world.siteId(0), world.siteId(1)]);
    const one = await addKey({ sites: [world.siteId(2)] });
    assert.deepEqual(await visibleTo(one.token), [world.siteId(2)]);
    assert.deepEqual(await visibleTo((await addKey({})).token), []);
    assert.equal((await visibleTo((await addKey(null)).token)).length, 4);
  });

  it('when a site is outside the limit, then a reference to it fails like one to no site', async () => {
    const { token } = await addKey({ sites: [world.siteId(2)] });
    const outside = world.siteId(3);
    for (const ref of [outside, new URL(world.site(3).url).host, encodeURIComponent(world.site(3).url)]) {
      const answer = (await world.request('GET', `/api/v2/sites/${ref}`, { ...by(token), expect: 404 })).body;
      const unknown = (await world.request('GET', '/api/v2/sites/999999', { ...by(token), expect: 404 })).body;
      assert.deepEqual(answer, unknown);
    }
    await world.request('GET', `/api/v2/sites/${world.siteId(2)}`, by(token));
  });

  it('when a site gets a new tag or client, then it enters the limit at once', async () => {
    const { token } = await addKey({ tags: [tag] });
    const edit = (groupids: number[]) =>
      world.request('PUT', `/api/v2/sites/${world.siteId(3)}/edit`, { body: { groupids } });
    await edit([tag]);
    assert.deepEqual(await visibleTo(token), [world.siteId(1), world.siteId(3)]);
    await edit([]);
    assert.deepEqual(await visibleTo(token), [world.siteId(1)]);
  });

  it('when the last entry of a limit is deleted, then the key sees nothing', async () => {
    const body = { name: 'for a moment' };
    const { id } = (await world.request('POST', '/api/v2/tags/add', { body })).body.data;
    await world.request('PUT', `/api/v2/sites/${world.siteId(3)}/edit`, { body: { groupids: [id] } });
    const key = await addKey({ tags: [id] });
    assert.deepEqual(await visibleTo(key.token), [world.siteId(3)]);
    await world.request('DELETE', `/api/v2/tags/${id}/remove`);
    assert.deepEqual(await visibleTo(key.token), []);
    const read = (await world.request('GET', `${BASE}/keys/${key.id}`)).body.data;
    assert.deepEqual(read.limit, { clients: [], tags: [], sites: [] });
  });

  it('when a user is limited, then its keys see at most its sites', async () => {
    const user = (
      await world.request('POST', `${BASE}/users/add`, {
        body: { name: 'Baker', role: 'viewer', limit: { clients: [client], sites: [world.siteId(2)] } },
      })
    ).body.data;
    const wide = await addKey(null, { user: user.id });
    assert.deepEqual(await visibleTo(wide.token), [world.siteId(0), world.siteId(2)]);
    const narrow = await addKey({ sites: [world.siteId(2), world.siteId(3)] }, { user: user.id });
    assert.deepEqual(await visibleTo(narrow.token), [world.siteId(2)]);
    const me = (await world.request('GET', '/api/v2/me', by(narrow.token))).body.data;
    assert.deepEqual(me.site_limits, [
      { clients: [client], tags: [], sites: [world.siteId(2)] },
      { clients: [], tags: [], sites: [world.siteId(2), world.siteId(3)] },
    ]);
    await world.request('PUT', `${BASE}/users/${user.id}/edit`, { body: { limit: null } });
    assert.deepEqual(await visibleTo(narrow.token), [world.siteId(2), world.siteId(3)]);
  });

  it('when the limit of a key is edited, then its next call follows it', async () => {
    const key = await addKey({ sites: [world.siteId(2)] });
    await visibleTo(key.token);
    const edit = (limit: object | null) => world.request('PUT', `${BASE}/edit-key/${key.id}`, { body: { limit } });
    await edit({ sites: [world.siteId(3)] });
    assert.deepEqual(await visibleTo(key.token), [world.siteId(3)]);
    await edit(null);
    assert.equal((await visibleTo(key.token)).length, 4);
  });

  it('when a call without sites changes the fleet, then only the sites of the limit are called', async () => {
    const { token } = await addKey({ sites: [world.siteId(2)] });
    const calls = world.fleet.sites.map((site) => site.requests.length);
    const { body } = await world.request('POST', '/api/v2/sites/sync', { ...by(token), body: {} });
    assert.deepEqual(
      [...JSON.stringify(body).matchAll(/"(?:site_)?id":(\d+)/g)]
        .map(([, id]) => Number(id))
        .filter((id) => id !== world.siteId(2)),
      [],
    );
    assert.deepEqual(
      world.fleet.sites.map((site, index) => site.requests.length > (calls[index] ?? 0)),
      [false, false, true, false],
    );
  });

  it('when an operation concerns the whole fleet, then a limited caller gets 403', async () => {
    const { token } = await addKey({ sites: [world.siteId(2)] });
    for (const [method, path, body] of [
      ['GET', '/api/v2/settings/general', undefined],
      ['GET', `${BASE}/users`, undefined],
      ['POST', '/api/v2/sites/add', { url: 'https://new.example', admin: 'admin' }],
      ['POST', '/api/v2/tags/add', { name: 'mine' }],
    ] as const) {
      const options = { ...by(token), expect: 403, ...(body === undefined ? {} : { body }) };
      assert.equal((await world.request(method, path, options)).body.code, 'svc_outside_limits', path);
    }
  });

  it('when a limit names what does not exist, or the role client has none, then the call fails with 400', async () => {
    const limit = { clients: [client, 999_999], sites: [888_888] };
    const refused = await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read', limit }, expect: 400 });
    assert.deepEqual(
      refused.body.data.errors.map(({ path }: { path: string }) => path),
      ['body.limit.clients[1]', 'body.limit.sites[0]'],
    );
    const add = (body: object, expect: number) => world.request('POST', `${BASE}/users/add`, { body, expect });
    const without = (await add({ name: 'Client one', role: 'client' }, 400)).body;
    assert.equal(without.data.errors[0].path, 'body.limit');
    const { id } = (await add({ name: 'Client two', role: 'client', limit: { clients: [client] } }, 200)).body.data;
    const edit = { body: { limit: null }, expect: 400 };
    await world.request('PUT', `${BASE}/users/${id}/edit`, edit);
  });

  it('when a tag is deleted during a call that limits a key or a user to it, then the call fails with 400', async () => {
    const { knex } = world.container.database;
    const { id: edited } = await addKey({ sites: [world.siteId(2)] });
    const read = async () => [
      await knex('users').orderBy('id').pluck('name'),
      await knex('api_keys').orderBy('id').pluck('id'),
      await knex('site_limits').orderBy(['user_id', 'key_id']).select('site_id', 'tag_id', 'client_id'),
    ];
    for (const [method, path, body] of [
      ['POST', 'add-key', { scope: 'read' }],
      ['PUT', `edit-key/${edited}`, {}],
      ['POST', 'users/add', { name: 'Late', role: 'viewer' }],
    ] as const) {
      const late = await createTag(world, 'late');
      const before = await read();
      const remove = (trx: Knex) => trx('tags').where({ id: late }).delete();
      const limit = { tags: [late] };
      const call = () => world.request(method, `${BASE}/${path}`, { body: { ...body, limit }, expect: 400 });
      const { errors } = (await whileAnotherWrites(knex, remove, call)).body.data;
      assert.match(errors[0].path, /^body\.limit/, path);
      assert.deepEqual(await read(), before, path);
    }
  });

  it('when an idempotent call is repeated under another limit, then its stored answer is not returned', async () => {
    const key = await addKey({ sites: [world.siteId(2)] });
    const headers = { ...by(key.token).headers, 'idempotency-key': 'limited-once' };
    const sync = (expect: number) =>
      world.request('POST', '/api/v2/sites/sync', { as: 'nobody', headers, body: {}, expect });
    await sync(200);
    await world.request('PUT', `${BASE}/edit-key/${key.id}`, { body: { limit: { sites: [world.siteId(3)] } } });
    assert.equal((await sync(409)).body.code, 'svc_idempotency_conflict');
  });

  it('when a site leaves the limit after an idempotent call, then its stored answer is not returned', async () => {
    const { token } = await addKey({ tags: [tag] });
    const headers = { ...by(token).headers, 'idempotency-key': 'left-in-between' };
    const path = `/api/v2/sites/${world.siteId(1)}/sync`;
    await world.request('POST', path, { as: 'nobody', headers });
    const edit = (groupids: number[]) =>
      world.request('PUT', `/api/v2/sites/${world.siteId(1)}/edit`, { body: { groupids } });
    await edit([]);
    const { body } = await world.request('POST', path, { as: 'nobody', headers, expect: 409 });
    assert.equal(body.code, 'svc_idempotency_conflict');
    await edit([tag]);
  });

  it('when a limited caller lists updates and abandoned items, then totals follow its sites', async () => {
    const { token } = await addKey({ tags: [tag] });
    const totals = async () => {
      const updates = (await world.request('GET', '/api/v2/updates', by(token))).body.total;
      const run = '/abilities/v1/svc/get-abandoned-plugins-v1/run';
      const { body } = await world.request('POST', run, { ...by(token), body: { input: {} } });
      return [updates, body.total];
    };
    await world.request('POST', '/api/v2/sites/sync', { body: {} });
    const edit = (groupids: number[]) =>
      world.request('PUT', `/api/v2/sites/${world.siteId(1)}/edit`, { body: { groupids } });
    const all = (await world.request('GET', '/api/v2/updates')).body.total;
    const [before] = await totals();
    assert.ok(before > 0 && before < all, `${before} of ${all}`);
    await edit([]);
    assert.deepEqual(await totals(), [0, 0]);
    await edit([tag]);
    assert.equal((await totals())[0], before);
  });

  it('when a limited caller adds a site, then it must lie inside the limit', async () => {
    const { token } = await addKey({ clients: [client], tags: [tag] });
    const calls = world.fleet.sites.map((site) => site.requests.length);
    const add = async (body: object, expect: number) =>
      (await world.request('POST', '/api/v2/sites/add', { ...by(token), body: { admin: 'admin', ...body }, expect }))
        .body;
    const { url } = world.site(3);
    assert.equal((await add({ url: 'http://127.0.0.1:9/' }, 403)).code, 'svc_outside_limits');
    const taken = await add({ url, client_id: client }, 403);
    assert.deepEqual([taken.code, taken.data], ['svc_outside_limits', { status: 403 }]);
    assert.equal((await add({ url: world.site(0).url, client_id: client }, 409)).data.site_id, world.siteId(0));
    assert.equal((await add({ url, client_id: 999_999 }, 403)).code, 'svc_outside_limits');
    assert.deepEqual(
      world.fleet.sites.map((site) => site.requests.length),
      calls,
      'no site was called',
    );
  });

  it('when a limited caller edits a site, then it can give it only clients and tags that it sees', async () => {
    const { token } = await addKey({ clients: [client] });
    const other = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Other' } })).body.data.id;
    const edit = (body: object, expect: number) =>
      world.request('PUT', `/api/v2/sites/${world.siteId(0)}/edit`, { ...by(token), body, expect });
    assert.equal((await edit({ client_id: other }, 404)).body.code, 'svc_client_not_found');
    assert.equal((await edit({ groupids: [tag] }, 404)).body.code, 'svc_tag_not_found');
    assert.equal((await edit({ name: 'Renamed', client_id: client }, 200)).body.data.name, 'Renamed');
  });

  it('when a limited caller lists tools of MCP, then it sees only those that it may call', async () => {
    const { token } = await addKey({ sites: [world.siteId(2)] });
    const headers = {
      ...by(token).headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const text = await (await fetch(`${world.url}/mcp?tools=all`, { method: 'POST', headers, body })).text();
    for (const name of ['list-sites-v1', 'update-client-v1', 'delete-tag-v1'])
      assert.ok(text.includes(`"${name}"`), `${name}: ${text.slice(0, 300)}`);
    for (const name of ['add-client-v1', 'add-tag-v1']) assert.ok(!text.includes(`"${name}"`), name);
  });
});
