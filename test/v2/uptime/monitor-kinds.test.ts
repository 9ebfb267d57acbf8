import assert from 'node:assert/strict';
import { alertsOf, runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

const M = '/api/v2/monitors';

describe('monitor settings', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, overrides: { tickMs: null, deadlines: { confirmAfterMs: 10 } } });
    await monitorAllSites(world);
  });
  after(() => world.close());
  afterEach(() => world.fleet.sites.forEach((site) => (site.fault = null)));

  const set = (index: number, body: object, expect = 200) =>
    world.request('PUT', `${M}/${world.siteId(index)}/settings`, { body, expect });
  const findingsOf = async (index: number): Promise<string[]> => {
    const { body } = await world.request('POST', `${M}/${world.siteId(index)}/check`);
    return body.data.evidence.attempts.map(({ finding }: { finding: string }) => finding);
  };

  it('when a monitor checks for a keyword, then the page content decides', async () => {
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

  it('when a monitor has its own accepted status, then it is up with this status', async () => {
    await set(2, { expected_status: '200,503' });
    world.site(2).fault = { kind: 'raw', status: 503, body: '' };
    assert.deepEqual(await findingsOf(2), ['status_accepted']);
    await set(2, { expected_status: 'useglobal' });
    assert.deepEqual(await findingsOf(2), ['status_refused', 'status_refused']);
  });

  it('when settings contradict each other, then the error names the field', async () => {
    const { body } = await set(1, { type: 'keyword' }, 400);
    assert.deepEqual(
      body.data.errors.map(({ path }: { path: string }) => path),
      ['body.keyword'],
    );
    assert.equal((await set(1, { timeout: 5 }, 400)).body.data.errors[0].path, 'body.timeout');
  });

  it('when the general monitor settings are edited, then the settings group monitoring changes', async () => {
    await world.request('PATCH', `${M}/settings`, { body: { interval: 10, maxretries: 0 } });
    const { data } = (await world.request('GET', '/api/v2/settings/monitoring')).body;
    assert.equal(data.svc_uptime_monitoring_interval, 10);
    assert.equal(data.svc_uptime_monitoring_down_confirmation_check, 0);
    await world.request('PATCH', `${M}/settings`, { body: { interval: null, maxretries: -1 } });
  });

  it('when intervals and timeouts are labels, then numbers are stored and returned', async () => {
    const one = await set(1, { interval: '15m', timeout: '2min' });
    assert.deepEqual([one.body.data.interval, one.body.data.timeout], [15, 120]);
    const { data } = (
      await world.request('PUT', `${M}/settings`, { body: { active: '1', interval: '24h', timeout: 'No limit' } })
    ).body;
    assert.deepEqual([data.interval, data.timeout], [1440, 0]);
    const group = '/api/v2/settings/monitoring/edit';
    const labels = { svc_uptime_monitoring_interval: '2h', svc_uptime_monitoring_timeout: '90s' };
    const edited = (await world.request('PUT', group, { body: labels })).body.data;
    assert.deepEqual([edited.svc_uptime_monitoring_interval, edited.svc_uptime_monitoring_timeout], [120, 90]);
    assert.equal((await set(1, { method: 'push' })).body.data.method, 'put');
    await set(1, { method: 'useglobal' });
    for (const interval of ['7m', '90s', '5 minutes', '', 'h']) await set(1, { interval }, 400);
    await set(1, { interval: 'useglobal', timeout: null });
    await world.request('PUT', `${M}/settings`, { body: { interval: null, timeout: null } });
  });

  it('when heartbeats are listed, then they are filtered by period, since and status', async () => {
    await set(2, { type: 'ping' });
    await findingsOf(2);
    await set(2, { type: 'useglobal' });
    const count = async (query: string): Promise<number> =>
      (await world.request('GET', `${M}/${world.siteId(2)}/heartbeat?${query}`)).body.total;
    const all = await count('status=any');
    assert.ok(all > 0);
    const day = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    for (const query of ['period=24h', `period=${yesterday}T00:00%2B05:30/${tomorrow}T10:00:00Z`, `since=${yesterday}`])
      assert.equal(await count(query), all, query);
    assert.equal(await count(`since=${tomorrow}T00:00:00Z`), 0);
    assert.equal(await count(`period=2026-01-01/2026-01-02&limit=5`), 0);
    assert.equal((await count('status=up')) + (await count('status=down')) + (await count('status=pending')), all);
    assert.deepEqual(
      [await count('status=1'), await count('status=0')],
      [await count('status=up'), await count('status=down')],
    );
    await world.request('GET', `${M}/${world.siteId(2)}/heartbeat?period=${day}/2030-01-01`, { expect: 400 });
  });

  it('when monitors are listed, then filters combine, and more monitors need no more SQL statements', async () => {
    await makeChecksDue(world);
    await runDueChecks(world);
    const list = async (query: string) => (await world.request('GET', `${M}?${query}`)).body;
    const statements = (query: string) => world.countStatements(() => list(query));
    assert.equal(await statements('per_page=3'), await statements('per_page=1'));
    assert.equal((await list('status=first')).total, 0);
    assert.equal((await list(`include=${world.siteId(0)},${world.siteId(1)}&exclude=${world.siteId(1)}`)).total, 1);
    assert.equal((await world.request('GET', `${M}/count`)).body.count, 3);
  });

  it('when the health of a site falls below the threshold, then one alert is raised', async () => {
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
