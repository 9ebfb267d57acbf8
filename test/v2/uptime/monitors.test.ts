import assert from 'node:assert/strict';
import { alertsOf, runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { suspendSite, unsuspendSite } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const M = '/api/v2/monitors';

interface UptimeFacts {
  state: 'down' | 'up';
  incidentId: string;
  endedAt: number | null;
  cause: string;
  httpStatus: number;
}

describe('monitors', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 3, overrides: { tickMs: null, deadlines: { confirmAfterMs: 10 } } });
  });
  afterEach(() => world.close());

  const monitor = async (index: number) => (await world.request('GET', `${M}/${world.siteId(index)}`)).body.data;
  const incidents = async (index: number) =>
    (await world.request('GET', `${M}/${world.siteId(index)}/incidents`)).body.data;

  it('when a site was never checked, then it has a paused monitor', async () => {
    const { last_status, last_check_at, evidence, paused, uptime_ratio_7d, heartbeats, settings } = await monitor(0);
    assert.deepEqual(
      { last_status, last_check_at, evidence, paused, uptime_ratio_7d, heartbeats },
      {
        last_status: 'first',
        last_check_at: null,
        evidence: null,
        paused: true,
        uptime_ratio_7d: null,
        heartbeats: [],
      },
    );
    assert.equal(settings.useglobal.length, 8);
  });

  it('when a check succeeds, then the monitor is up and has the evidence', async () => {
    await monitorAllSites(world);
    await runDueChecks(world);
    const { last_status, last_status_code, evidence, uptime_24h, uptime_ratio_24h, ...found } = await monitor(0);
    assert.deepEqual(
      { last_status, last_status_code, uptime_ratio_24h },
      {
        last_status: 'up',
        last_status_code: 200,
        uptime_ratio_24h: 100,
      },
    );
    assert.deepEqual(uptime_24h.at(-1).status, 'up');
    assert.equal(uptime_24h.length, 24);
    const [attempt, ...others] = evidence.attempts;
    assert.equal(others.length, 0);
    assert.equal(attempt.address, new URL(world.site(0).url).hostname);
    assert.equal(attempt.finding, 'status_accepted');
    for (const lap of ['dns_ms', 'connect_ms', 'first_byte_ms']) assert.ok(Number.isInteger(attempt[lap]), lap);
    assert.equal(attempt.tls_ms, null);
    assert.ok(attempt.total_ms >= attempt.connect_ms + attempt.first_byte_ms - 2);
    assert.equal(evidence.verdict, 'The status 200 is accepted.');
    assert.ok(Number.isInteger(found.response_time_avg_ms));
    assert.deepEqual(
      found.heartbeats.map(({ status, importance }: { status: number; importance: number }) => [status, importance]),
      [[1, 1]],
    );
  });

  it('when a check fails and its confirmation succeeds, then no alert is raised', async () => {
    await monitorAllSites(world, { method: 'get' });
    world.site(0).faultQueue.push({ kind: 'refuse', function: 'GET' });
    await runDueChecks(world);
    const { last_status, evidence } = await monitor(0);
    assert.equal(last_status, 'up');
    assert.deepEqual(
      evidence.attempts.map(({ up }: { up: boolean }) => up),
      [false, true],
    );
    assert.deepEqual(await incidents(0), []);
    assert.deepEqual(await alertsOf(world, 'uptime'), []);
  });

  it('when a site is suspended during its check, then no incident opens', async () => {
    await monitorAllSites(world);
    let release = (): void => undefined;
    const opened = new Promise<void>((resolve) => (release = resolve));
    const site = world.site(1);
    const before = site.requests.length;
    site.fault = { kind: 'hang', until: opened };
    const checks = runDueChecks(world);
    await until(() => site.requests.length > before, 'the check');
    await suspendSite(world, world.siteId(1));
    release();
    await checks;
    assert.deepEqual(await incidents(1), []);
    const { knex } = world.container.database;
    const [lease] = await knex('monitors')
      .where({ site_id: world.siteId(1) })
      .pluck('lease_until');
    assert.equal(lease, null);
    site.fault = null;
    await unsuspendSite(world, world.siteId(1));
  });

  it('when a check and its confirmation fail, then an incident opens; a successful check closes it', async () => {
    await monitorAllSites(world);
    world.site(1).fault = { kind: 'raw', status: 503, body: 'Busy' };
    await runDueChecks(world);
    const { last_status, last_status_code, evidence } = await monitor(1);
    assert.deepEqual({ last_status, last_status_code }, { last_status: 'down', last_status_code: 503 });
    assert.equal(evidence.verdict, 'The status 503 is not accepted. The confirmation check failed too.');
    await makeChecksDue(world);
    await runDueChecks(world);
    const [lasting] = await incidents(1);
    assert.deepEqual(
      { resolved: lasting.resolved, ended_at: lasting.ended_at, down_count: lasting.down_count, cause: lasting.cause },
      { resolved: false, ended_at: null, down_count: 2, cause: 'The status 503 is not accepted.' },
    );
    world.site(1).fault = null;
    await makeChecksDue(world);
    await runDueChecks(world);
    const [ended, ...others] = await incidents(1);
    assert.deepEqual(others, []);
    assert.deepEqual([ended.id, ended.resolved, ended.down_count], [lasting.id, true, 2]);
    const alerts = await alertsOf<UptimeFacts>(world, 'uptime');
    assert.deepEqual(
      alerts.map(({ site_id, facts }) => [site_id, facts.state, facts.incidentId, facts.httpStatus]),
      [
        [world.siteId(1), 'down', String(ended.id), 503],
        [world.siteId(1), 'up', String(ended.id), 200],
      ],
    );
    const { body } = await world.request('GET', `${M}/${world.siteId(1)}/heartbeat?period=24h`);
    assert.deepEqual(
      body.data.map(({ status, importance }: { status: number; importance: number }) => [status, importance]),
      [
        [1, 1],
        [0, 0],
        [0, 1],
      ],
    );
    assert.equal(body.meta.total, 3);
    assert.deepEqual((await world.request('GET', `${M}/${world.siteId(1)}/incidents/count`)).body.count, 1);
  });

  it('when confirmation is off, then one failed check sets pending and a second one down', async () => {
    await monitorAllSites(world, { maxretries: 0 });
    world.site(0).fault = { kind: 'refuse' };
    await runDueChecks(world);
    assert.equal((await monitor(0)).last_status, 'pending');
    assert.deepEqual(await alertsOf(world, 'uptime'), []);
    await makeChecksDue(world);
    await runDueChecks(world);
    assert.equal((await monitor(0)).last_status, 'down');
    assert.equal((await alertsOf(world, 'uptime')).length, 1);
  });

  it('when a caller starts a check, then it runs and its result is stored, even if the monitor is paused', async () => {
    const path = `${M}/${world.siteId(2)}/check`;
    const { body } = await world.request('POST', path);
    assert.deepEqual([body.data.uptime_status, body.data.http_code], ['up', 200]);
    await world.request('POST', path, { as: 'reader', expect: 403 });
    world.site(2).fault = { kind: 'refuse' };
    const lost = (await world.request('POST', path)).body.data;
    assert.deepEqual([lost.uptime_status, lost.http_code, lost.evidence.attempts.length], ['down', 0, 2]);
    assert.equal((await incidents(2)).length, 1);
  });

  it('when a site is suspended, then its monitor is paused', async () => {
    await monitorAllSites(world);
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/suspend`);
    await runDueChecks(world);
    const { last_status, paused, next_check_at } = await monitor(0);
    assert.deepEqual(
      { last_status, paused, next_check_at },
      { last_status: 'first', paused: true, next_check_at: null },
    );
    const { body } = await world.request('POST', `${M}/${world.siteId(0)}/check`, { expect: 409 });
    assert.equal(body.code, 'svc_site_suspended');
    assert.equal((await monitor(1)).last_status, 'up');
  });

  it('when a site is disconnected, then its monitor still runs', async () => {
    await monitorAllSites(world);
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/disconnect`);
    await runDueChecks(world);
    assert.equal((await monitor(0)).last_status, 'up');
  });

  it('when a site reference is unknown, then the error is svc_monitor_not_found', async () => {
    const calls = [
      ['GET', ''],
      ['GET', '/basic'],
      ['POST', '/check'],
      ['GET', '/heartbeat'],
      ['GET', '/incidents'],
      ['GET', '/incidents/count'],
    ] as const;
    for (const [method, rest] of calls) {
      const { body } = await world.request(method, `${M}/nowhere.example${rest}`, { expect: 404 });
      assert.equal(body.code, 'svc_monitor_not_found');
    }
    await world.request('PUT', `${M}/99/settings`, { body: { interval: 5 }, expect: 404 });
  });
});
