import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { withWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';
const DAY = 86_400_000;

describe('v2 rotation of API keys', () => {
  let world: World;
  withWorld({}, (started) => (world = started));

  const add = async (body: object) =>
    (await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read_write', ...body } })).body.data;
  const rotate = (id: number, options: object = {}) => world.request('POST', `${BASE}/keys/${id}/rotate`, options);
  const by = (token: string) => ({ as: 'nobody' as const, headers: { authorization: `Bearer ${token}` } });
  const works = (token: string) => world.request('GET', '/api/v2/tags', by(token));
  const fails = (token: string) => world.request('GET', '/api/v2/tags', { ...by(token), expect: 401 });

  it('when a key is rotated, then the record stays and only the response has the new token', async () => {
    const limits = { allowed_addresses: ['127.0.0.0/8'], rate_limit: 500 };
    const { token, ...before } = await add({ description: 'reports', ...limits });
    const began = Date.now();
    const { body } = await rotate(before.id);
    const { token: next, ...after } = body.data;
    const ends = Date.parse(after.previous_token_expires_at);
    assert.ok(ends >= began + DAY - 1000 && ends <= Date.now() + DAY, 'the overlap is one day by default');
    assert.match(next, /^sf_[\w-]{43}$/);
    assert.deepEqual(after, {
      ...before,
      truncated_key: next.slice(-7),
      previous_token_expires_at: after.previous_token_expires_at,
    });
    const read = (await world.request('GET', `${BASE}/keys/${before.id}`)).body.data;
    assert.deepEqual({ ...read, last_access: null }, after);
    await works(token);
    await works(next);
    const now = (await rotate(before.id, { body: { overlap_seconds: 0 } })).body.data;
    assert.equal(now.previous_token_expires_at, null);
    await fails(token);
    await fails(next);
    await works(now.token);
  });

  it('when a key rotates a key with more rights than its own, then the response is 403, even if that one is disabled', async () => {
    const own = await add({ expires_at: new Date(Date.now() + 10 * DAY).toISOString(), rate_limit: 1000 });
    const [lasting, disabled] = [await add({ rate_limit: 1000 }), await add({ active: false })];
    for (const { id } of [lasting, disabled]) {
      const { body } = await rotate(id, { ...by(own.token), expect: 403 });
      assert.equal(body.code, 'svc_permission_denied');
    }
    await works(lasting.token);
    const lesser = await add({ expires_at: new Date(Date.now() + DAY).toISOString(), rate_limit: 10 });
    await rotate(lesser.id, by(own.token));
    const { token } = (await rotate(own.id, { ...by(own.token), body: { overlap_seconds: 0 } })).body.data;
    await fails(own.token);
    await works(token);
    for (const as of ['viewer', 'reader', 'writer']) await rotate(lesser.id, { as, expect: 403 });
  });

  it('when the user of a key has more permissions than the caller, then the caller cannot rotate it', async () => {
    const permissions = ['access:manage', 'tags:read'];
    await world.request('POST', `${BASE}/roles/add`, { body: { name: 'key-keeper', permissions } });
    await world.request('POST', `${BASE}/users/add`, { body: { name: 'keeper', role: 'key-keeper' } });
    const [own, other] = [await add({ user: 'keeper' }), await add({ user: 'keeper' })];
    const { id, token } = await add({ user: 'admin', scope: 'read' });
    const { body } = await rotate(id, { ...by(own.token), expect: 403 });
    assert.equal(body.code, 'svc_permission_denied');
    await works(token);
    await rotate(other.id, by(own.token));
  });

  it('when the key is unknown or preset, or the overlap is out of range, then the response names it', async () => {
    assert.equal((await rotate(999_999, { expect: 404 })).body.code, 'svc_api_key_not_found');
    const { access } = world.container.services.access;
    await access.ensureFirstCredentials({ adminUser: 'admin', adminPassword: null, apiKey: 'a-preset-key' });
    const keys = (await world.request('GET', `${BASE}/keys?per_page=500`)).body.data;
    const preset = keys.find(({ description }: { description: string }) => description === 'preset');
    assert.equal((await rotate(preset.id, { expect: 409 })).body.code, 'svc_preset_api_key');
    await works('a-preset-key');
    const path = `${BASE}/keys/${preset.id}/rotate`;
    for (const overlap_seconds of [-1, 604_801, 0.5])
      assert.deepEqual(await refusedFields(world, 'POST', path, { overlap_seconds }), ['body.overlap_seconds']);
  });

  it('when a rotation is repeated with its idempotency key, then the token is not shown again', async () => {
    const { id } = await add({});
    const options = { headers: { 'idempotency-key': 'rotate-once-0001' } };
    const { token } = (await rotate(id, options)).body.data;
    assert.equal((await rotate(id, { ...options, expect: 409 })).body.code, 'svc_idempotency_conflict');
    await works(token);
  });

  it('when a key is rotated, then the change log names it', async () => {
    const { id, truncated_key: hint } = await add({});
    const { data } = (await rotate(id, { body: { overlap_seconds: 60 } })).body;
    const { body } = await world.request('GET', '/api/v2/changes?type=api_key.rotated&per_page=1');
    assert.ok(body.data[0].description.includes(`*${hint} of admin was rotated to *${data.truncated_key}`));
  });
});
