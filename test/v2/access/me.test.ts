import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { withWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';

describe('v2 caller', () => {
  let world: World;
  withWorld({}, (started) => (world = started));

  const add = async (body: object) => (await world.request('POST', `${BASE}/add-key`, { body })).body.data;
  const me = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await world.request('GET', '/api/v2/me', { as: 'nobody', headers })).body.data;
  };

  it('when a key calls, then the response has its user, record, permissions and rate limit', async () => {
    const expires_at = '2999-01-31T12:00:00Z';
    const allowed_addresses = ['127.0.0.0/8'];
    const key = await add({ scope: 'read', description: 'reports', expires_at, allowed_addresses, rate_limit: 7 });
    const began = Date.now();
    const data = await me(key.token);
    const { last_used_at: lastUsedAt, ...credential } = data.credential;
    assert.ok(lastUsedAt === null || Date.parse(lastUsedAt) >= began - 1000);
    assert.deepEqual(data.user, { id: key.user_id, name: 'admin', role: 'administrator' });
    assert.deepEqual(credential, {
      ...{ kind: 'api_key', id: key.id, label: 'reports', hint: key.truncated_key },
      ...{ scope: 'read', expires_at, allowed_addresses },
    });
    assert.deepEqual(data.site_limits, []);
    const { reset_at: resetAt, ...left } = data.rate_limit;
    assert.deepEqual(left, { limit: 7, remaining: 6 });
    assert.ok(Date.parse(resetAt) > began && Date.parse(resetAt) <= Date.now() + 60_000);
    assert.equal((await me(key.token)).rate_limit.remaining, 5);
    await until(async () => (await me(key.token)).credential.last_used_at !== null, 'the use to be stored');
  });

  it('when a key calls, then its permissions are those that its role and its scope allow', async () => {
    await world.request('POST', `${BASE}/roles/add`, { body: { name: 'nothing', permissions: [] } });
    await world.request('POST', `${BASE}/users/add`, { body: { name: 'nina', role: 'nothing' } });
    for (const [scope, user, has, lacks] of [
      ['write', 'admin', ['me:read', 'updates:run'], ['sites:read', 'access:manage']],
      ['read_write', 'admin', ['access:manage', 'me:read', 'sites:read', 'updates:run'], []],
      ['read_write', 'viewer', ['me:read', 'sites:read'], ['updates:run', 'access:manage']],
    ] as const) {
      const { permissions, rate_limit: rateLimit } = await me((await add({ scope, user })).token);
      for (const name of has) assert.ok(permissions.includes(name), `${scope} ${user} ${name}`);
      for (const name of lacks) assert.ok(!permissions.includes(name), `${scope} ${user} ${name}`);
      assert.deepEqual(permissions, [...permissions].sort());
      assert.equal(rateLimit, null);
    }
    for (const scope of ['read', 'write', 'read_write'])
      for (const user of scope === 'write' ? ['viewer', 'nina'] : ['nina'])
        assert.deepEqual((await me((await add({ scope, user })).token)).permissions, ['me:read']);
  });

  it('when an application password is used, then the response names it', async () => {
    const { data } = (await world.request('GET', '/api/v2/me', { as: 'viewer' })).body;
    const { id, last_used_at: _, ...credential } = data.credential;
    assert.ok(id >= 1);
    assert.deepEqual(data.user, { id: data.user.id, name: 'viewer', role: 'viewer' });
    assert.deepEqual(credential, {
      ...{ kind: 'application_password', label: 'test', hint: null },
      ...{ scope: 'read_write', expires_at: null, allowed_addresses: null },
    });
    assert.ok(data.permissions.includes('sites:read') && !data.permissions.includes('sites:write'));
    assert.deepEqual([data.site_limits, data.rate_limit], [[], null]);
  });

  it('when there is no valid credential, then the response is 401', async () => {
    await world.request('GET', '/api/v2/me', { as: 'nobody', expect: 401 });
  });
});
