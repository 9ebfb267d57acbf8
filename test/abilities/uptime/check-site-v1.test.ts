import assert from 'node:assert/strict';
import { FakeMonotonicClock } from '../../support/monotonic-time.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'check-site-v1';

interface Output {
  site_id: number;
  site_url: string;
  checked: true;
  reachable: boolean;
  response_time_ms: number;
  http_status: number;
}
interface Refusal {
  code: string;
}

describe(NAME, () => {
  let world: World;
  const call = <T = Output>(index: number, options: CallOptions = {}): Promise<T> =>
    world.ability<T>(NAME, { site_id_or_domain: world.siteId(index) }, options);

  before(async () => (world = await startWorld({ sites: 4, connect: 3 })));
  after(() => world.close());
  afterEach(() => world.fleet.sites.forEach((site) => (site.fault = null)));

  it('when a site is checked, then the web server gets one unsigned HEAD request', async () => {
    const site = world.site(0);
    const from = site.requests.length;
    const { response_time_ms, ...found } = await call(0);
    assert.deepEqual(found, {
      site_id: world.siteId(0),
      site_url: site.url,
      checked: true,
      reachable: true,
      http_status: 200,
    });
    assert.ok(Number.isInteger(response_time_ms));
    assert.deepEqual(
      site.requests.slice(from).map(({ method, signed }) => [method, signed]),
      [['HEAD', false]],
    );
  });

  it('when a site is down, then the check succeeds with reachable false, status 0 and the time', async () => {
    world.site(1).fault = { kind: 'refuse' };
    const { reachable, http_status, checked, response_time_ms } = await call(1);
    assert.deepEqual({ reachable, http_status, checked }, { reachable: false, http_status: 0, checked: true });
    assert.ok(Number.isInteger(response_time_ms));
    const detail = await world.ability<{ status: string }>('get-site-v1', { site_id_or_domain: world.siteId(1) });
    assert.equal(detail.status, 'connected');
  });

  it('when a site responds with 500 or 503, then it is unreachable with this status', async () => {
    for (const status of [500, 503]) {
      world.site(1).fault = { kind: 'raw', status, body: 'There has been a critical error.' };
      const { reachable, http_status } = await call(1);
      assert.deepEqual({ reachable, http_status }, { reachable: false, http_status: status });
    }
  });

  it('when the response is slow, then its time is measured', async () => {
    await FakeMonotonicClock.hold(async (time) => {
      time.passAt(world.site(1), 300);
      assert.equal((await call(1)).response_time_ms, 300);
    });
  });

  it('when the site redirects, then the redirect is followed, but not to a forbidden address', async () => {
    world.site(1).fault = { kind: 'redirect', status: 302, location: world.site(2).url };
    const { reachable, http_status } = await call(1);
    assert.deepEqual({ reachable, http_status }, { reachable: true, http_status: 200 });
    world.site(1).fault = { kind: 'redirect', status: 302, location: 'http://169.254.169.254/latest/meta-data/' };
    assert.equal((await call<Refusal>(1, { expect: 400 })).code, 'svc_address_refused');
    world.site(1).fault = { kind: 'redirect', status: 302, location: world.site(1).url };
    assert.deepEqual((await call(1)).reachable, false);
  });

  it('when the site requires basic authentication, then the check sends its HTTP credentials', async () => {
    const guarded = world.site(3);
    guarded.fault = { kind: 'basic', user: 'gate', password: 'opens' };
    const { url, admin, adminPassword: password } = guarded;
    const guard = { httpUser: 'gate', httpPass: 'opens' };
    const { id } = await world.container.services.sites.sites.add({ url, admin, password, ...guard }, 'test');
    const check = (): Promise<Output> => world.ability<Output>(NAME, { site_id_or_domain: id });
    assert.equal((await check()).http_status, 200);
    guarded.fault = { kind: 'basic', user: 'gate', password: 'changed' };
    const { reachable, http_status } = await check();
    assert.deepEqual({ reachable, http_status }, { reachable: true, http_status: 401 });
  });

  it('when a certificate is invalid, then the ssl_verify setting of the site decides', async () => {
    const secure = await startWorld({ sites: 1, connect: 0, fleet: { tls: true } });
    try {
      const { url, admin, adminPassword: password } = secure.site(0);
      const { id } = await secure.container.services.sites.sites.add(
        { url, admin, password, sslVerify: false },
        'test',
      );
      const check = (): Promise<Output> => secure.ability<Output>(NAME, { site_id_or_domain: id });
      assert.equal((await check()).http_status, 200);
      await secure.container.database.knex('site_secrets').where({ site_id: id }).update({ ssl_verify: 1 });
      const { reachable, http_status } = await check();
      assert.deepEqual({ reachable, http_status }, { reachable: false, http_status: 0 });
    } finally {
      await secure.close();
    }
  });

  it('when a site is suspended or disconnected, then it is checked and keeps its status', async () => {
    for (const status of ['suspended', 'disconnected']) {
      const change = status === 'suspended' ? 'suspend-site-v1' : 'disconnect-site-v1';
      await world.ability(change, { site_id_or_domain: world.siteId(2) });
      assert.equal((await call(2)).reachable, true);
      const detail = await world.ability<{ status: string }>('get-site-v1', { site_id_or_domain: world.siteId(2) });
      assert.equal(detail.status, status);
    }
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [{}, { site_id_or_domain: 0 }, { site_id_or_domain: [] }, { site_id_or_domain: 1, timeout: 5 }])
      assert.equal((await world.ability<Refusal>(NAME, input, { expect: 400 })).code, 'ability_invalid_input');
    const body = await world.ability<Refusal>(NAME, { site_id_or_domain: 1 }, { method: 'GET', expect: 405 });
    assert.equal(body.code, 'rest_ability_invalid_method');
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    const refusal = await world.ability<Refusal>(NAME, { site_id_or_domain: 99_999 }, { expect: 404 });
    assert.equal(refusal.code, 'svc_site_not_found');
  });

  it('when the caller may not write, then the call is rejected', async () => {
    await call(0, { as: 'writer' });
    for (const as of ['viewer', 'reader'] as const)
      assert.equal((await call<Refusal>(0, { as, expect: 403 })).code, 'svc_permission_denied');
    await call(0, { as: 'nobody', expect: 401 });
  });
});
