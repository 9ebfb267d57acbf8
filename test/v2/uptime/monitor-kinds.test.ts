import assert from 'node:assert/strict';
import { alertsOf, checkDue, makeDue, watchAll } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

const M = '/api/v2/monitors';

describe('monitors and their settings', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, overrides: { tickMs: null, deadlines: { confirmAfterMs: 10 } } });
    await watchAll(world);
  });
  after(() => world.close());
  afterEach(() => world.fleet.sites.forEach((site) => (site.fault = null)));

  const set = (index: number, body: object, expect = 200) =>
    world.request('PUT', `${M}/${world.siteId(index)}/settings`, { body, expect });
  const findingsOf = async (index: number): Promise<string[]> => {
    const { body } = await world.request('POST', `${M}/${world.siteId(index)}/check`);
    return body.data.evidence.attempts.map(({ finding }: { finding: string }) => finding);
  };

  it('when a monitor looks for a keyword, then the page decides', async () => {
    await set(0, { type: 'keyword', keyword: 'Welcome to us' });
    assert.deepEqual(await findingsOf(0), ['keyword_missing', 'keyword_missing']);
    world.site(0).fault = { kind: 'raw', status: 200, body: '<p>Welcome to us</p>' };
    assert.deepEqual(await findingsOf(0), ['keyword_found']);
  });

  it('when a monitor opens a TCP connection, then no request is sent', async () => {
    await set(1, { type: 'ping' });
    const before = world.site(1).requests.length;
    assert.deepEqual(await findingsOf(1), ['connected']);
    assert.equal(world.site(1).requests.length, before);
  });

  it('when a status is accepted by a monitor of its own, then it is up for that one alone', async () => {
    await set(2, { expected_status: '200,503' });
    world.site(2).fault = { kind: 'raw', status: 503, body: '' };
    assert.deepEqual(await findingsOf(2), ['status_accepted']);
    await set(2, { expected_status: 'useglobal' });
    assert.deepEqual(await findingsOf(2), ['status_refused', 'status_refused']);
  });

  it('when settings contradict themselves, then the failing field is named', async () => {
    const { body } = await set(1, { type: 'keyword' }, 400);
    assert.deepEqual(
      body.data.errors.map(({ path }: { path: string }) => path),
      ['body.keyword'],
    );
    assert.equal((await set(1, { timeout: 5 }, 400)).body.data.errors[0].path, 'body.timeout');
  });

  it('when the settings of all monitors are changed, then the group of settings is', async () => {
    await world.request('PATCH', `${M}/settings`, { body: { interval: 10, maxretries: 0 } });
    const { data } = (await world.request('GET', '/api/v2/settings/monitoring')).body;
    assert.equal(data.svc_uptime_monitoring_interval, 10);
    assert.equal(data.svc_uptime_monitoring_down_confirmation_check, 0);
    await world.request('PATCH', `${M}/settings`, { body: { interval: null, maxretries: -1 } });
  });

  it('when monitors are listed, then the filters combine, and more of them cost no more statements', async () => {
    await makeDue(world);
    await checkDue(world);
    const list = async (query: string) => (await world.request('GET', `${M}?${query}`)).body;
    const statements = (query: string) => world.countStatements(() => list(query));
    assert.equal(await statements('per_page=3'), await statements('per_page=1'));
    assert.equal((await list('status=first')).total, 0);
    assert.equal((await list(`include=${world.siteId(0)},${world.siteId(1)}&exclude=${world.siteId(1)}`)).total, 1);
    assert.equal((await world.request('GET', `${M}/count`)).body.count, 3);
  });

  it('when the health of a site falls below the threshold, then there is one alert for the fall', async () => {
    await world.request('PUT', '/api/v2/settings/monitoring/edit', {
      body: { svc_disable_sites_health_monitoring: 0 },
    });
    assert.deepEqual(await alertsOf(world, 'site_health'), []);
    await world.container
      .knex('site_states')
      .update({ section_hashes: '{}', health_good: 20, health_recommended: 0, health_critical: 0 });
    await world.request('PUT', '/api/v2/settings/monitoring/edit', { body: { svc_sitehealth_threshold: 100 } });
    for (let round = 0; round < 2; round++) await world.request('POST', '/api/v2/sites/sync');
    const fallen = await alertsOf<{ score: number; threshold: number }>(world, 'site_health');
    assert.ok(fallen.every(({ facts }) => facts.score < 100 && facts.threshold === 100));
    assert.equal(new Set(fallen.map(({ site_id }) => site_id)).size, fallen.length);
    assert.ok(fallen.length > 0);
  });
});
