import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';
const YEAR = 365 * 86_400_000;

interface Key {
  id: number;
  token: string;
}

describe('v2 API keys', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const add = async (body: object, options: object = {}): Promise<Key> =>
    (await world.request('POST', `${BASE}/add-key`, { body, ...options })).body.data as Key;
  /** Options of a call that is authenticated by the token. */
  const by = (token: string): { as: 'nobody'; headers: Record<string, string> } => ({
    as: 'nobody',
    headers: { authorization: `Bearer ${token}` },
  });
  const edit = (id: number, body: object, options: object = {}, method = 'PUT') =>
    world.request(method, `${BASE}/edit-key/${id}`, { body, ...options });
  const soon = (): string => new Date(Date.now() + YEAR).toISOString().replace(/\.\d+/, '');

  it('when a key expires within a second, then the expiry is stored as it is shown, and sent back it is no change', async () => {
    const key = await add({ permissions: 'read', expires_at: '2099-01-31T12:00:00.750Z' });
    const { expires_at } = (await world.request('GET', `${BASE}/keys/${key.id}`)).body.data;
    assert.equal(expires_at, '2099-01-31T12:00:00Z');
    const { knex } = world.container.database;
    assert.equal(
      await knex('api_keys')
        .where({ id: key.id })
        .first('expires_at')
        .then((row) => row.expires_at),
      Date.parse(expires_at),
    );
    // Earlier releases have stored milliseconds, and such a key can have expired.
    await knex('api_keys')
      .where({ id: key.id })
      .update({ expires_at: Date.parse('2001-01-31T23:59:59.999Z') });
    const { body } = await edit(key.id, { description: 'renamed', expires_at: '2001-01-31T23:59:59Z' });
    assert.equal(body.data.description, 'renamed');
  });

  it('when a key is created, then the token is returned once and works immediately', async () => {
    const { body } = await world.request('POST', `${BASE}/add-key`, {
      body: { permissions: 'read', description: 'x' },
    });
    const { token, ...key } = body.data;
    assert.match(token, /^sf_[\w-]{43}$/);
    assert.deepEqual(key, {
      id: key.id,
      user_id: key.user_id,
      user: 'admin',
      description: 'x',
      permissions: ['Read'],
      scope: 'read',
      truncated_key: token.slice(-7),
      active: true,
      last_access: null,
      expires_at: null,
      allowed_addresses: null,
      rate_limit: null,
      limit: null,
      limited_by_key_id: null,
      previous_token_expires_at: null,
      created_at: key.created_at,
    });
    await world.request('GET', '/api/v2/tags', by(token));
    await world.request('POST', '/api/v2/tags/add', { ...by(token), body: { name: 'n' }, expect: 403 });
    const read = (await world.request('GET', `${BASE}/keys/${key.id}`)).body;
    assert.deepEqual({ ...read.data, last_access: null }, key);
    assert.ok(!JSON.stringify((await world.request('GET', `${BASE}/keys?per_page=500`)).body).includes(token));
  });

  it('when a key is created with scope, user, expiry or state, then the key has these values', async () => {
    for (const [wanted, scope, labels] of [
      [{ permissions: ['write'] }, 'write', ['Write & Delete']],
      [{ permissions: 'write, read' }, 'read_write', ['Read', 'Write & Delete']],
      [{ scope: 'read_write' }, 'read_write', ['Read', 'Write & Delete']],
      [{ scope: 'read', permissions: ['read'] }, 'read', ['Read']],
    ] as const) {
      const { data } = (await world.request('POST', `${BASE}/add-key`, { body: wanted })).body;
      assert.deepEqual([data.scope, data.permissions], [scope, labels]);
    }
    const expires_at = soon();
    const wanted = { scope: 'read_write', user: 'Viewer', expires_at, active: false };
    const { data } = (await world.request('POST', `${BASE}/add-key`, { body: wanted })).body;
    assert.deepEqual([data.user, data.expires_at, data.active], ['viewer', expires_at, false]);
    await world.request('GET', '/api/v2/tags', { ...by(data.token), expect: 401 });
    const again = await add({ scope: 'read', user: data.user_id });
    await world.request('GET', '/api/v2/tags', by(again.token));
  });

  it('when keys are listed, then the list is in creation order and paged', async () => {
    const { body: all } = await world.request('GET', `${BASE}/keys?per_page=500`);
    const ids = all.data.map(({ id }: Key) => id) as number[];
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    const { body, headers } = await world.request('GET', `${BASE}/keys?per_page=2&page=2&_fields=scope`);
    assert.deepEqual([body.total, body.data.length, headers['x-wp-total']], [ids.length, 2, String(ids.length)]);
    assert.deepEqual(Object.keys(body.data[0]).sort(), ['id', 'scope']);
    const few = await world.countStatements(() => world.request('GET', `${BASE}/keys?per_page=1`));
    assert.equal(await world.countStatements(() => world.request('GET', `${BASE}/keys?per_page=5`)), few);
  });

  it('when a key is edited or deleted, then the change takes effect immediately', async () => {
    const { id, token } = await add({ scope: 'read', description: 'before' });
    await world.request('GET', '/api/v2/tags', by(token));
    const { data } = (await edit(id, { active: false })).body;
    assert.deepEqual([data.active, data.description, data.scope], [false, 'before', 'read']);
    await world.request('GET', '/api/v2/tags', { ...by(token), expect: 401 });
    const back = (await edit(id, { active: true, permissions: 'read,write' }, {}, 'PATCH')).body.data;
    assert.deepEqual([back.active, back.scope], [true, 'read_write']);
    await world.request('POST', '/api/v2/tags/add', { ...by(token), body: { name: 'now' } });
    const expires_at = soon();
    const named = (await edit(id, { description: 'after', expires_at }, {}, 'POST')).body.data;
    assert.deepEqual([named.description, named.expires_at], ['after', expires_at]);
    assert.equal((await edit(id, { expires_at: null })).body.data.expires_at, null);
    const gone = (await world.request('DELETE', `${BASE}/delete-key/${id}`)).body;
    assert.deepEqual([gone.success, gone.data.id, gone.data.description], [1, id, 'after']);
    await world.request('GET', '/api/v2/tags', { ...by(token), expect: 401 });
    await world.request('GET', `${BASE}/keys/${id}`, { expect: 404 });
  });

  it('when an edit has an outdated ETag, then the key is not changed', async () => {
    const { id } = await add({ scope: 'read' });
    const tagOf = async (): Promise<string> =>
      String((await world.request('GET', `${BASE}/keys/${id}`)).headers['etag']);
    const seen = await tagOf();
    await edit(id, { description: 'one' }, { headers: { 'if-match': seen } });
    const refused = await edit(id, { description: 'two' }, { headers: { 'if-match': seen }, expect: 412 });
    assert.equal(refused.body.code, 'svc_precondition_failed');
    await world.request('DELETE', `${BASE}/delete-key/${id}`, { headers: { 'if-match': seen }, expect: 412 });
    const now = await tagOf();
    await world.request('GET', `${BASE}/keys/${id}`, { headers: { 'if-none-match': now }, expect: 304 });
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const edit = world.agent().put(`${BASE}/edit-key/${id}`).set('if-match', now);
        return (await edit.send({ description: `racer ${index}` })).status;
      }),
    );
    assert.deepEqual(outcomes.sort(), [200, ...Array<number>(5).fill(412)]);
    await world.request('DELETE', `${BASE}/delete-key/${id}`, { headers: { 'if-match': await tagOf() } });
  });

  it('when a key is used, then its ETag does not change', async () => {
    const { id, token } = await add({ scope: 'read' });
    const read = () => world.request('GET', `${BASE}/keys/${id}`);
    const { headers, body } = await read();
    assert.equal(body.data.last_access, null);
    await world.request('GET', '/api/v2/tags', by(token));
    await until(async () => (await read()).body.data.last_access !== null, 'the use to be stored');
    assert.equal((await read()).headers['etag'], headers['etag']);
    await edit(id, { description: 'after the use' }, { headers: { 'if-match': String(headers['etag']) } });
  });

  it('when a key creates or edits another key, then neither scope nor expiry exceeds its own', async () => {
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    const granter = await add({ scope: 'read_write', expires_at: day(10) });
    const refusedBy = async (method: string, path: string, body: object): Promise<void> => {
      const answer = await world.request(method, `${BASE}/${path}`, { ...by(granter.token), body, expect: 403 });
      assert.equal(answer.body.code, 'svc_permission_denied');
    };
    await refusedBy('POST', 'add-key', { scope: 'read' });
    await refusedBy('POST', 'add-key', { scope: 'read', expires_at: day(11) });
    await refusedBy('PUT', `edit-key/${granter.id}`, { expires_at: null });
    const shorter = await add({ scope: 'read', expires_at: day(9) }, by(granter.token));
    await edit(shorter.id, { scope: 'read_write' }, by(granter.token));
    await refusedBy('PUT', `edit-key/${shorter.id}`, { expires_at: day(20) });
    const lasting = await add({ scope: 'read', active: false });
    await refusedBy('PUT', `edit-key/${lasting.id}`, { active: true });
    await edit(lasting.id, { description: 'named' }, by(granter.token));
    await edit(lasting.id, { expires_at: day(5), active: true }, by(granter.token));
    await world.request('DELETE', `${BASE}/delete-key/${lasting.id}`, by(granter.token));
  });

  it('when the caller is no administrator with full scope, then every route rejects the call', async () => {
    const { id } = await add({ scope: 'read' });
    for (const as of ['viewer', 'reader', 'writer'] as const) {
      await world.request('GET', `${BASE}/keys`, { as, expect: 403 });
      await world.request('GET', `${BASE}/keys/${id}`, { as, expect: 403 });
      await world.request('POST', `${BASE}/add-key`, { as, body: { scope: 'read' }, expect: 403 });
      await edit(id, { active: false }, { as, expect: 403 });
      await world.request('DELETE', `${BASE}/delete-key/${id}`, { as, expect: 403 });
    }
    await world.request('GET', `${BASE}/keys`, { as: 'nobody', expect: 401 });
  });

  it('when a key or user is unknown or a field is invalid, then the error has its code or the field', async () => {
    for (const [method, path, body] of [
      ['GET', 'keys/99999', undefined],
      ['PUT', 'edit-key/99999', { active: true }],
      ['DELETE', 'delete-key/99999', undefined],
    ] as const) {
      const answer = await world.request(method, `${BASE}/${path}`, { ...(body ? { body } : {}), expect: 404 });
      assert.equal(answer.body.code, 'svc_api_key_not_found');
    }
    for (const user of ['nobody here', 99999]) {
      const answer = await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read', user }, expect: 404 });
      assert.equal(answer.body.code, 'svc_user_not_found');
    }
    const { id } = await add({ scope: 'read' });
    for (const [path, body, field] of [
      ['add-key', {}, 'body.permissions'],
      ['add-key', { permissions: 'delete' }, 'body.permissions'],
      ['add-key', { permissions: [] }, 'body.permissions'],
      ['add-key', { permissions: 'read', scope: 'write' }, 'body.permissions'],
      ['add-key', { scope: 'admin' }, 'body.scope'],
      ['add-key', { scope: 'read', expires_at: '2020-01-01T00:00:00Z' }, 'body.expires_at'],
      ['add-key', { scope: 'read', expires_at: 'tomorrow' }, 'body.expires_at'],
      ['add-key', { scope: 'read', description: 'preset' }, 'body.description'],
      ['add-key', { scope: 'read', description: 'a\u0000b' }, 'body.description'],
      ['add-key', { scope: 'read', token: 'mine' }, 'body.token'],
      [`edit-key/${id}`, {}, 'body'],
      [`edit-key/${id}`, { user: 'viewer' }, 'body.user'],
      [`edit-key/${id}`, { description: 'x'.repeat(101) }, 'body.description'],
    ] as const) {
      const fields = await refusedFields(world, 'POST', `${BASE}/${path}`, body);
      assert.ok(fields.includes(field), `${JSON.stringify(body)}: ${fields.join()}`);
    }
    await world.request('GET', `${BASE}/keys?per_page=0`, { expect: 400 });
  });

  it('when a key creation is retried with its idempotency key, then the secret is not returned again', async () => {
    const headers = { 'idempotency-key': 'add-one-key' };
    const body = { scope: 'read', description: 'once' };
    await add(body, { headers });
    const again = await world.request('POST', `${BASE}/add-key`, { body, headers, expect: 409 });
    assert.equal(again.body.code, 'svc_idempotency_conflict');
    const { data } = (await world.request('GET', `${BASE}/keys?per_page=500`)).body;
    assert.equal(data.filter(({ description }: { description: string }) => description === 'once').length, 1);
  });

  it('when a key would remove the last key, then the call is rejected, but a password login may do so', async () => {
    const { id, token } = await add({ scope: 'read_write' });
    const { data } = (await world.request('GET', `${BASE}/keys?per_page=500`)).body;
    for (const other of data as Key[])
      if (other.id !== id) await world.request('DELETE', `${BASE}/delete-key/${other.id}`, by(token));
    const disabled = await edit(id, { active: false }, { ...by(token), expect: 409 });
    const deleted = await world.request('DELETE', `${BASE}/delete-key/${id}`, { ...by(token), expect: 409 });
    assert.deepEqual([disabled.body.code, deleted.body.code], ['svc_last_api_key', 'svc_last_api_key']);
    await edit(id, { description: 'the last' }, by(token));
    await edit(id, { active: false });
    await world.request('GET', `${BASE}/keys`, { ...by(token), expect: 401 });
    await world.request('DELETE', `${BASE}/delete-key/${id}`);
    assert.equal((await world.request('GET', `${BASE}/keys`)).body.total, 0);
  });
});
