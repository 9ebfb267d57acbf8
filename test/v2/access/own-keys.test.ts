import assert from 'node:assert/strict';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';

describe('v2 keys of limited callers', () => {
  let world: World;
  const clock = new ManualClock(new Date().toISOString());
  let client: number;
  let tag: number;
  before(async () => {
    world = await startWorld({ sites: 3, overrides: { clock } });
    const add = async (path: string, body: object) =>
      (await world.request('POST', `/api/v2${path}`, { body })).body.data.id;
    client = await add('/clients/add', { name: 'Bakery', selected_sites: [world.siteId(0), world.siteId(1)] });
    tag = await add('/tags/add', { name: 'shops' });
    await world.request('PUT', `/api/v2/sites/${world.siteId(1)}/edit`, { body: { groupids: [tag] } });
  });
  after(() => world.close());

  const by = (token: string, more: object = {}) => ({
    as: 'nobody' as const,
    headers: { authorization: `Bearer ${token}` },
    ...more,
  });
  const addKey = async (body: object, options: object = {}) =>
    (await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read_write', ...body }, ...options })).body.data;
  const edit = (id: number, body: object, options: object = {}) =>
    world.request('PUT', `${BASE}/edit-key/${id}`, { body, ...options });
  const visibleTo = async (token: string): Promise<number[]> =>
    (await world.request('GET', '/api/v2/sites?per_page=100', by(token))).body.data.map(({ id }: { id: number }) => id);
  const refused = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token: string, body?: object) =>
    (await world.request(method, `${BASE}${path}`, by(token, { body, expect: 403 }))).body;

  it('when a limited key makes a key, then that key has at most its sites and loses them with it', async () => {
    const maker = await addKey({ limit: { clients: [client] } });
    const made = await addKey({}, by(maker.token));
    assert.deepEqual([made.limit, made.limited_by_key_id], [null, maker.id]);
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0), world.siteId(1)]);
    const narrow = await addKey({ limit: { tags: [tag] } }, by(maker.token));
    assert.deepEqual(await visibleTo(narrow.token), [world.siteId(1)]);
    await edit(maker.id, { limit: { sites: [world.siteId(0)] } });
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
    assert.deepEqual(await visibleTo(narrow.token), []);
    await edit(maker.id, { active: false });
    assert.deepEqual(await visibleTo(made.token), []);
    await edit(maker.id, { active: true });
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
    await edit(maker.id, { expires_at: new Date(clock.now() + 60_000).toISOString() });
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
    clock.time += 60_000;
    assert.deepEqual(await visibleTo(made.token), []);
    await edit(maker.id, { expires_at: null });
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
    await world.request('DELETE', `${BASE}/delete-key/${maker.id}`);
    assert.deepEqual(await visibleTo(made.token), []);
  });

  it('when a limited key gives a key a limit, then entries that it does not see do not exist', async () => {
    const maker = await addKey({ limit: { sites: [world.siteId(0)] } });
    const errorsOf = async (limit: object) =>
      (await world.request('POST', `${BASE}/add-key`, by(maker.token, { body: { scope: 'read', limit }, expect: 400 })))
        .body.data.errors;
    const unknown = await errorsOf({ sites: [999_999], tags: [999_999] });
    assert.equal(unknown.length, 2);
    assert.deepEqual(await errorsOf({ sites: [world.siteId(2)], tags: [tag] }), unknown);
    const made = await addKey({ limit: { clients: [client] } }, by(maker.token));
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
  });

  it('when a limited key lists keys, then it sees itself and those that it made', async () => {
    const maker = await addKey({ limit: { clients: [client] } });
    const made = await addKey({}, by(maker.token));
    const { body } = await world.request('GET', `${BASE}/keys`, by(maker.token));
    assert.deepEqual([body.total, body.data.map(({ id }: { id: number }) => id)], [2, [maker.id, made.id]]);
    const own = (await world.request('GET', `${BASE}/keys/${made.id}`, by(maker.token))).body.data;
    assert.equal(own.limited_by_key_id, maker.id);
    await world.request('GET', `${BASE}/keys/${maker.id}/usage`, by(maker.token));
    await edit(made.id, { description: 'for the shop' }, by(maker.token));
    const { token } = (await world.request('POST', `${BASE}/keys/${made.id}/rotate`, by(maker.token))).body.data;
    assert.deepEqual(await visibleTo(token), [world.siteId(0), world.siteId(1)]);
    await world.request('DELETE', `${BASE}/delete-key/${made.id}`, by(maker.token));
  });

  it('when a limited key names the key of another, then the refusal is that for a key that does not exist', async () => {
    const other = await addKey({ description: 'of the fleet' });
    const { token } = await addKey({ limit: { clients: [client] } });
    for (const [method, path, body] of [
      ['GET', '/keys/ID', undefined],
      ['GET', '/keys/ID/usage', undefined],
      ['POST', '/keys/ID/rotate', undefined],
      ['PUT', '/edit-key/ID', { description: 'mine' }],
      ['DELETE', '/delete-key/ID', undefined],
    ] as const) {
      const answer = await refused(method, path.replace('ID', String(other.id)), token, body);
      assert.equal(answer.code, 'svc_outside_limits');
      assert.deepEqual(await refused(method, path.replace('ID', '999999'), token, body), answer, path);
    }
    assert.equal((await world.request('GET', `${BASE}/keys/${other.id}`)).body.data.description, 'of the fleet');
  });

  it('when a limited caller makes a key for another user, then the refusal does not tell whether there is one', async () => {
    const { token } = await addKey({ limit: { clients: [client] } });
    await world.request('POST', `${BASE}/users/add`, { body: { name: 'somebody', role: 'viewer' } });
    const answer = await refused('POST', '/add-key', token, { scope: 'read', user: 'somebody' });
    assert.equal(answer.code, 'svc_outside_limits');
    assert.deepEqual(await refused('POST', '/add-key', token, { scope: 'read', user: 'nobody here' }), answer);
    assert.deepEqual(await refused('POST', '/add-key', token, { scope: 'read', user: 999_999 }), answer);
  });

  it('when a limited key changes its own limit or removes one, then it is refused', async () => {
    const maker = await addKey({ limit: { clients: [client] } });
    const made = await addKey({ limit: { tags: [tag] } }, by(maker.token));
    for (const limit of [null, { tags: [tag] }])
      assert.equal((await refused('PUT', `/edit-key/${maker.id}`, maker.token, { limit })).code, 'svc_outside_limits');
    const { code } = await refused('PUT', `/edit-key/${made.id}`, maker.token, { limit: null });
    assert.equal(code, 'svc_permission_denied');
    await edit(made.id, { limit: { sites: [world.siteId(0)] } }, by(maker.token));
    assert.deepEqual(await visibleTo(made.token), [world.siteId(0)]);
  });

  it('when a key was made by a limited key, then it makes no further keys', async () => {
    const maker = await addKey({ limit: { clients: [client] } });
    const made = await addKey({}, by(maker.token));
    assert.equal((await refused('POST', '/add-key', made.token, { scope: 'read' })).code, 'svc_permission_denied');
  });
});
