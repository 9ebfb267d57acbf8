import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { recordStatements } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { withWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';
const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

interface Key {
  id: number;
  token: string;
}

describe('v2 limits of API keys', () => {
  let world: World;
  withWorld({ env: { SITEFLEET_TRUST_PROXY: '1' } }, (started) => (world = started));

  const add = async (body: object, options: object = {}): Promise<Key> =>
    (await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read_write', ...body }, ...options })).body.data;
  const by = (token: string, address?: string) => ({
    as: 'nobody' as const,
    headers: { authorization: `Bearer ${token}`, ...(address && { 'x-forwarded-for': address }) },
  });
  const edit = (id: number, body: object, options: object = {}) =>
    world.request('PUT', `${BASE}/edit-key/${id}`, { body, ...options });
  const readKey = async (id: number) => (await world.request('GET', `${BASE}/keys/${id}`)).body.data;
  const statusFrom = async (token: string, address: string): Promise<number> =>
    (await world.agent('nobody').get('/api/v2/tags').set(by(token, address).headers)).status;

  describe('allowed addresses', () => {
    it('when a key has allowed addresses, then only calls from them are accepted', async () => {
      const { id, token } = await add({
        allowed_addresses: [
          ' 198.51.100.77/24',
          '203.0.113.5',
          '2001:DB8:0::/48',
          '198.51.100.0/24',
          '::ffff:10.1.2.3',
        ],
      });
      assert.deepEqual((await readKey(id)).allowed_addresses, [
        '198.51.100.0/24',
        '203.0.113.5',
        '2001:db8::/48',
        '10.1.2.3',
      ]);
      for (const [address, status] of [
        ['198.51.100.0', 200],
        ['198.51.100.255', 200],
        ['::ffff:198.51.100.9', 200],
        ['198.51.101.0', 403],
        ['203.0.113.5', 200],
        ['203.0.113.4', 403],
        ['10.1.2.3', 200],
        ['2001:db8:0:ffff::1', 200],
        ['2001:db8:1::1', 403],
        ['127.0.0.1', 403],
      ] as const)
        assert.equal(await statusFrom(token, address), status, address);
    });

    it('when a call is refused for its address, then the response is 403 without a challenge and no handler runs', async () => {
      const { token } = await add({ allowed_addresses: ['203.0.113.5'] });
      const refused = { ...by(token, '203.0.113.6'), expect: 403 };
      const name = 'of a refused call';
      for (const [method, path, body] of [
        ['GET', '/api/v2/tags', undefined],
        ['GET', '/api/v2/no-such-route', undefined],
        ['POST', '/api/v2/tags/add', { name }],
        ['POST', '/api/v2/tags/batch', { create: [{ name }] }],
        ['POST', '/abilities/v1/svc/add-tag-v1/run', { input: { name } }],
      ] as const) {
        const { body: answer, headers } = await world.request(method, path, { ...refused, body });
        assert.equal(answer.code, 'svc_address_not_allowed', path);
        assert.deepEqual(answer.data, { status: 403 });
        assert.equal(headers['www-authenticate'], undefined);
      }
      const compat = await world.agent('nobody').get('/wp-json/mainwp/v2/tags').set(refused.headers);
      assert.deepEqual([compat.status, compat.body.code], [403, 'mainwp_address_not_allowed']);
      const mcp = await world.agent('nobody').post('/mcp').set(refused.headers).send(LIST_TOOLS);
      assert.deepEqual([mcp.status, mcp.body.code], [403, 'svc_address_not_allowed']);
      const metrics = await world.agent('nobody').get('/metrics').set(refused.headers);
      assert.deepEqual([metrics.status, metrics.body.code], [403, 'svc_address_not_allowed']);
      assert.equal((await world.request('GET', `/api/v2/tags?search=${encodeURIComponent(name)}`)).body.total, 0);
    });

    it('when calls from both kinds of addresses alternate, then each is checked, without SQL for the key', async () => {
      const { token } = await add({ allowed_addresses: ['203.0.113.5'] });
      assert.equal(await statusFrom(token, '203.0.113.5'), 200);
      const sent = await recordStatements(world.container.database.knex, async () => {
        for (let round = 0; round < 3; round++) {
          assert.equal(await statusFrom(token, '203.0.113.6'), 403);
          assert.equal(await statusFrom(token, '203.0.113.5'), 200);
        }
      });
      assert.deepEqual(
        sent.filter((sql) => sql.includes('api_keys')),
        [],
      );
    });

    it('when the addresses are edited, then the next call follows them, and an empty list allows all', async () => {
      const { id, token } = await add({});
      assert.equal((await readKey(id)).allowed_addresses, null);
      assert.equal(await statusFrom(token, '203.0.113.6'), 200);
      const { data } = (await edit(id, { allowed_addresses: ['203.0.113.5'] })).body;
      assert.deepEqual(data.allowed_addresses, ['203.0.113.5']);
      assert.equal(await statusFrom(token, '203.0.113.6'), 403);
      assert.deepEqual((await edit(id, { description: 'x' })).body.data.allowed_addresses, ['203.0.113.5']);
      assert.equal((await edit(id, { allowed_addresses: [] })).body.data.allowed_addresses, null);
      assert.equal(await statusFrom(token, '203.0.113.6'), 200);
      await edit(id, { allowed_addresses: ['203.0.113.5'] });
      assert.equal((await edit(id, { allowed_addresses: null })).body.data.allowed_addresses, null);
    });

    it('when a call is refused for its address, then it is no use of the key', async () => {
      const { id, token } = await add({ allowed_addresses: ['203.0.113.5'] });
      assert.equal(await statusFrom(token, '203.0.113.6'), 403);
      assert.equal(await statusFrom(token, '203.0.113.6'), 403);
      await world.container.services.access.access.waitForWrites();
      assert.equal((await readKey(id)).last_access, null);
      assert.equal(await statusFrom(token, '203.0.113.5'), 200);
      await until(async () => (await readKey(id)).last_access !== null, 'the use to be stored');
    });

    it('when an address is not valid or there are too many, then the response is 400 with the field', async () => {
      const refused = (allowed_addresses: string[]) =>
        refusedFields(world, 'POST', `${BASE}/add-key`, { scope: 'read', allowed_addresses });
      for (const text of ['10.1', '10.0.0.0/33', '010.0.0.1', '::1%eth0', '2001:db8::/129', 'example.com', '1/1/1', ''])
        assert.deepEqual(await refused(['192.0.2.1', text]), ['body.allowed_addresses.1'], text);
      const many = Array.from({ length: 51 }, (_, index) => `192.0.2.${index}`);
      assert.deepEqual(await refused(many), ['body.allowed_addresses']);
      await add({ allowed_addresses: many.slice(1) });
    });

    it('when a limited key creates or edits a key, then it cannot widen its own limits', async () => {
      const own = { allowed_addresses: ['203.0.112.0/24', '2001:db8::/32'], rate_limit: 100 };
      const granter = await add(own);
      const as = by(granter.token, '203.0.112.5');
      const refused = async (method: string, path: string, body: object) => {
        const { body: answer } = await world.request(method, `${BASE}/${path}`, { ...as, body, expect: 403 });
        assert.equal(answer.code, 'svc_permission_denied');
      };
      const wider = [
        { ...own, allowed_addresses: null },
        { ...own, allowed_addresses: ['203.0.112.0/23'] },
        { ...own, allowed_addresses: ['203.0.112.5', '198.51.100.1'] },
        { ...own, rate_limit: null },
        { ...own, rate_limit: 101 },
      ];
      for (const limits of wider) {
        await refused('POST', 'add-key', { scope: 'read', ...limits });
        await refused('PUT', `edit-key/${granter.id}`, limits);
      }
      const narrower = { allowed_addresses: ['203.0.112.128/25', '2001:db8::1'], rate_limit: 99 };
      const made = await add(narrower, as);
      assert.deepEqual((await readKey(made.id)).allowed_addresses, narrower.allowed_addresses);
      await edit(made.id, { description: 'still allowed' }, as);
    });
  });

  describe('rate limit', () => {
    it('when a key has a rate limit of its own, then further calls get 429 and other keys do not', async () => {
      const { id, token } = await add({ rate_limit: 3 });
      assert.equal((await readKey(id)).rate_limit, 3);
      for (let count = 1; count <= 3; count++) {
        const { headers } = await world.request('GET', '/api/v2/tags', by(token));
        assert.match(String(headers['ratelimit']), new RegExp(`r=${3 - count};`));
        assert.match(String(headers['ratelimit-policy']), /q=3; *w=60/);
      }
      const { body, headers } = await world.request('GET', '/api/v2/tags', { ...by(token), expect: 429 });
      const wait = Number(headers['retry-after']);
      assert.deepEqual([body.code, body.data], ['svc_rate_limited', { status: 429, retry_after_seconds: wait }]);
      assert.ok(wait >= 1 && wait <= 60);
      assert.match(String(headers['ratelimit']), /r=0;/);
      const other = await world.request('GET', '/api/v2/tags', by((await add({})).token));
      assert.equal(other.headers['ratelimit'], undefined);
    });

    it('when the rate limit is edited or removed, then the next call follows it', async () => {
      const { id, token } = await add({ rate_limit: 1 });
      await world.request('GET', '/api/v2/tags', by(token));
      await world.request('GET', '/api/v2/tags', { ...by(token), expect: 429 });
      assert.equal((await edit(id, { rate_limit: 100_000 })).body.data.rate_limit, 100_000);
      await world.request('GET', '/api/v2/tags', by(token));
      assert.equal((await edit(id, { rate_limit: null })).body.data.rate_limit, null);
      const { headers } = await world.request('GET', '/api/v2/tags', by(token));
      assert.equal(headers['ratelimit'], undefined);
    });

    it('when the rate limit is out of range, then the response is 400', async () => {
      for (const rate_limit of [0, -1, 1.5, 100_001, '5'])
        await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read', rate_limit }, expect: 400 });
    });

    it('when MCP calls exceed the rate limit, then they get 429', async () => {
      const { token } = await add({ rate_limit: 2 });
      const statuses: number[] = [];
      for (let count = 0; count < 3; count++) {
        const call = world.agent('nobody').post('/mcp').set(by(token).headers);
        const { status } = await call.set('accept', 'application/json, text/event-stream').send(LIST_TOOLS);
        statuses.push(status);
      }
      assert.deepEqual(statuses, [200, 200, 429]);
    });
  });

  describe('with a general rate limit', () => {
    let limited: World;
    withWorld({ env: { SITEFLEET_RATE_LIMIT: '2' } }, (started) => (limited = started));

    it('when a key has a limit of its own, then it replaces the general limit', async () => {
      const { access } = limited.container.services.access;
      const user = await access.userNamed('admin');
      const create = async (rateLimit: number | null) =>
        (await access.keys.create({ userId: user.id, label: '', scope: 'read', expiresAt: null, rateLimit }, 'test'))
          .secret;
      const [higher, lower, none] = [await create(5), await create(1), await create(null)];
      for (const [token, allowed] of [
        [higher, 5],
        [lower, 1],
        [none, 2],
      ] as const) {
        for (let count = 0; count < allowed; count++) await limited.request('GET', '/api/v2/tags', by(token));
        await limited.request('GET', '/api/v2/tags', { ...by(token), expect: 429 });
      }
    });
  });
});
