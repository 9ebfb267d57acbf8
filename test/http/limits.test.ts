import assert from 'node:assert/strict';
import { LoginFailures } from '../../src/http/authentication.ts';
import { basic, bearer, HELD_TIME, startSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const wrong = { as: basic('admin', 'wrong') };

describe('login failures', () => {
  let app: SmallApp;
  beforeEach(async () => (app = await startSmallApp({ loginFailureLimit: 20, trustProxy: 1 })));
  afterEach(() => app.close());

  const failTwentyTimes = async (headers = {}): Promise<void> => {
    for (let count = 0; count < 20; count++) {
      const asking = count % 2 ? wrong : { as: bearer('wrong') };
      assert.equal((await app.call('GET', LOOK, { ...asking, headers })).status, 401, `failure ${count + 1}`);
    }
  };

  it('are turned away from the 21st of a minute on, with the time to wait', async () => {
    await failTwentyTimes();
    app.clock.time += 15_000;
    for (const path of [LOOK, '/api/v2/things', '/api/v2/nothing']) {
      const { status, headers, json } = await app.call('GET', path, wrong);
      assert.equal(status, 429);
      assert.equal(headers['retry-after'], '45');
      assert.deepEqual([json.code, json.data], ['svc_rate_limited', { status: 429 }]);
    }
  });

  it('never turn a valid credential away', async () => {
    await failTwentyTimes();
    assert.equal((await app.call('GET', LOOK, wrong)).status, 429);
    for (const as of [basic('admin'), bearer('full')]) assert.equal((await app.call('GET', LOOK, { as })).status, 200);
    assert.equal((await app.call('GET', LOOK, { as: null })).status, 401, 'no credential is no failure');
  });

  it('are forgotten after a minute', async () => {
    await failTwentyTimes();
    app.clock.time += 59_999;
    assert.equal((await app.call('GET', LOOK, wrong)).status, 429);
    app.clock.time += 1;
    assert.equal((await app.call('GET', LOOK, wrong)).status, 401);
  });

  it('are counted for each address', async () => {
    await failTwentyTimes({ 'x-forwarded-for': '198.51.100.1' });
    for (const [address, status] of [
      ['198.51.100.1', 429],
      ['198.51.100.2', 401],
    ] as const)
      assert.equal((await app.call('GET', LOOK, { ...wrong, headers: { 'x-forwarded-for': address } })).status, status);
  });

  it('are not counted for calls without a credential', async () => {
    for (let count = 0; count < 25; count++) assert.equal((await app.call('GET', LOOK, { as: null })).status, 401);
    assert.equal((await app.call('GET', LOOK, wrong)).status, 401);
  });

  it('are not limited with a limit of 0', () => {
    const failures = new LoginFailures(0, { now: () => HELD_TIME });
    for (let count = 0; count < 100; count++) assert.equal(failures.record('a'), null);
  });

  it('cannot fill the memory with addresses', () => {
    const clock = { time: HELD_TIME, now: () => clock.time };
    const failures = new LoginFailures(1, clock);
    for (let index = 0; index < LoginFailures.MAX_ADDRESSES + 10; index++) failures.record(`address ${index}`);
    assert.equal(failures.record('last'), null);
    assert.equal(failures.record('last'), 60);
  });
});

describe('the limit of calls', () => {
  it('turns a credential away after its calls of a minute, and no other', async () => {
    const app = await startSmallApp({ rateLimit: 3 });
    for (let count = 1; count <= 3; count++) {
      const { status, headers } = await app.call('GET', LOOK, { as: bearer('full') });
      assert.equal(status, 200);
      assert.match(String(headers['ratelimit']), new RegExp(`r=${3 - count};`));
      assert.match(String(headers['ratelimit-policy']), /q=3; *w=60/);
    }
    const { status, headers, json } = await app.call('POST', '/api/v2/nothing', { as: bearer('full') });
    assert.equal(status, 429);
    assert.deepEqual([json.code, json.data], ['svc_rate_limited', { status: 429 }]);
    assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
    assert.match(String(headers['ratelimit']), /r=0;/);
    assert.equal((await app.call('GET', LOOK, { as: bearer('reads') })).status, 200);
    assert.equal((await app.call('GET', LOOK)).status, 200);
    assert.equal((await app.call('GET', '/healthz', { as: bearer('full') })).status, 200);
    await app.close();
  });

  it('is off by default', async () => {
    const app = await startSmallApp();
    const { headers } = await app.call('GET', LOOK);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
      [],
    );
    await app.close();
  });
});
