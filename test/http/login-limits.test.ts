import assert from 'node:assert/strict';
import { NetworkLimit } from '../../src/http/network-limit.ts';
import { basic, bearer, FIXED_TIME, startSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const WRONG_PASSWORD = { as: basic('admin', 'wrong') };

describe('limit of login failures', () => {
  let app: SmallApp;
  beforeEach(async () => (app = await startSmallApp({ loginFailureLimit: 20, trustProxy: 1 })));
  afterEach(() => app.close());

  const failTwentyTimes = async (headers = {}): Promise<void> => {
    for (let count = 0; count < 20; count++) {
      const asking = count % 2 ? WRONG_PASSWORD : { as: bearer('wrong') };
      assert.equal((await app.call('GET', LOOK, { ...asking, headers })).status, 401, `failure ${count + 1}`);
    }
  };

  it('when 20 logins failed within a minute, then the next failure gets 429 with the time to wait', async () => {
    await failTwentyTimes();
    app.clock.time += 15_000;
    for (const path of [LOOK, '/api/v2/things', '/api/v2/nothing']) {
      const { status, headers, json } = await app.call('GET', path, WRONG_PASSWORD);
      assert.equal(status, 429);
      assert.equal(headers['retry-after'], '45');
      assert.deepEqual([json.code, json.data], ['svc_rate_limited', { status: 429, retry_after_seconds: 45 }]);
    }
  });

  it('when the limit is exceeded, then a valid credential still works', async () => {
    await failTwentyTimes();
    assert.equal((await app.call('GET', LOOK, WRONG_PASSWORD)).status, 429);
    for (const as of [basic('admin'), bearer('full')]) assert.equal((await app.call('GET', LOOK, { as })).status, 200);
    assert.equal((await app.call('GET', LOOK, { as: null })).status, 401, 'no credential is no failure');
  });

  it('when a minute has passed, then the failures are no longer counted', async () => {
    await failTwentyTimes();
    app.clock.time += 59_999;
    assert.equal((await app.call('GET', LOOK, WRONG_PASSWORD)).status, 429);
    app.clock.time += 1;
    assert.equal((await app.call('GET', LOOK, WRONG_PASSWORD)).status, 401);
  });

  it('when failures come from several addresses, then they are counted per address', async () => {
    await failTwentyTimes({ 'x-forwarded-for': '198.51.100.1' });
    for (const [address, status] of [
      ['198.51.100.1', 429],
      ['198.51.100.2', 401],
    ] as const)
      assert.equal(
        (await app.call('GET', LOOK, { ...WRONG_PASSWORD, headers: { 'x-forwarded-for': address } })).status,
        status,
      );
  });

  it('when a call has no credential, then it is not counted', async () => {
    for (let count = 0; count < 25; count++) assert.equal((await app.call('GET', LOOK, { as: null })).status, 401);
    assert.equal((await app.call('GET', LOOK, WRONG_PASSWORD)).status, 401);
  });

  it('when the limit is 0, then failures are not limited', () => {
    const failures = new NetworkLimit(0, { now: () => FIXED_TIME });
    for (let count = 0; count < 100; count++) assert.equal(failures.record('a'), null);
  });

  const heldFailures = (limit: number): NetworkLimit => new NetworkLimit(limit, { now: () => FIXED_TIME });

  it('when failures come from one IPv6 /64 network, then they are counted together, and mapped IPv4 as IPv4', () => {
    const failures = heldFailures(2);
    for (const [address, wait] of [
      ['2001:db8:1:2::1', null],
      ['2001:db8:1:2:ffff::9', null],
      ['2001:0db8:0001:0002:dead:beef:0:1', 60],
      ['2001:db8:1:3::1', null],
      ['198.51.100.7', null],
      ['::ffff:198.51.100.7', null],
      ['198.51.100.7', 60],
    ] as const)
      assert.equal(failures.record(address), wait, address);
  });

  it('when many other addresses fail, then earlier failures of an address are still counted', () => {
    const failures = heldFailures(1);
    assert.equal(failures.record('203.0.113.9'), null);
    for (let index = 0; index < 30_000; index++) failures.record(`2001:db8:0:${index.toString(16)}::1`);
    assert.equal(failures.record('203.0.113.9'), 60);
  });
});

describe('rate limit of calls', () => {
  it('when a credential exceeds its calls per minute, then it gets 429 and other credentials do not', async () => {
    const app = await startSmallApp({ rateLimit: 3 });
    for (let count = 1; count <= 3; count++) {
      const { status, headers } = await app.call('GET', LOOK, { as: bearer('full') });
      assert.equal(status, 200);
      assert.match(String(headers['ratelimit']), new RegExp(`r=${3 - count};`));
      assert.match(String(headers['ratelimit-policy']), /q=3; *w=60/);
    }
    const { status, headers, json } = await app.call('POST', '/api/v2/nothing', { as: bearer('full') });
    assert.equal(status, 429);
    const retryAfter = Number(headers['retry-after']);
    assert.deepEqual([json.code, json.data], ['svc_rate_limited', { status: 429, retry_after_seconds: retryAfter }]);
    assert.ok(retryAfter >= 1 && retryAfter <= 60);
    assert.match(String(headers['ratelimit']), /r=0;/);
    assert.equal((await app.call('GET', LOOK, { as: bearer('reads') })).status, 200);
    assert.equal((await app.call('GET', LOOK)).status, 200);
    assert.equal((await app.call('GET', '/healthz', { as: bearer('full') })).status, 200);
    await app.close();
  });

  it('when no limit is set, then calls are not limited', async () => {
    const app = await startSmallApp();
    const { headers } = await app.call('GET', LOOK);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
      [],
    );
    await app.close();
  });
});
