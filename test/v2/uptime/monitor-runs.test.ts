import assert from 'node:assert/strict';
import { DAY, MINUTE } from '../../../src/shared/clock.ts';
import { until } from '../../support/until.ts';
import { editSettings, readSchedule, runSchedule } from '../../support/schedules.ts';
import { runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('monitor runs', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 4, overrides: { tickMs: null, deadlines: { confirmAfterMs: 10 } } });
  });
  afterEach(() => world.close());

  /** Adds sites without a server. Each has a monitor that is due. */
  async function addDue(count: number): Promise<void> {
    const { knex } = world.container;
    const ids = Array.from({ length: count }, (_, index) => 1_000 + index);
    const sites = ids.map((id) => {
      const host = `127.254.${Math.floor(id / 250)}.${id % 250}`;
      const times = { created_at: 0, updated_at: 0 };
      return { id, url: `http://${host}:9/`, url_key: host, name: host, name_key: host, status: 'connected', ...times };
    });
    await knex.batchInsert('sites', sites, 100);
    const secrets = ids.map((site_id) => ({ site_id, server: 'https://dash.example/' }));
    await knex.batchInsert('site_secrets', secrets, 100);
    const monitors = ids.map((site_id) => ({ site_id, state: 'first', next_check_at: 0 }));
    await knex.batchInsert('monitors', monitors, 100);
  }
  const leased = (): Promise<number[]> =>
    world.container.knex('monitors').whereNotNull('lease_until').pluck<number[]>('site_id');

  it('when the number of concurrent checks is limited, then no more checks run at the same time', async () => {
    await monitorAllSites(world);
    for (const site of world.fleet.sites) site.latencyMs = 700;
    const highest = async (limit: number): Promise<number> => {
      await editSettings(world, 'advanced', { svc_maximum_uptime_monitoring_requests: limit });
      world.fleet.gauge.reset();
      await makeChecksDue(world);
      await runDueChecks(world);
      assert.equal(world.fleet.gauge.total, 4);
      return world.fleet.gauge.highest;
    };
    assert.equal(await highest(1), 1);
    assert.equal(await highest(2), 2);
    assert.ok((await highest(50)) > 2);
  });

  it('when all slots are in use, then few checks wait, and the rest start as slots become free', async () => {
    await monitorAllSites(world);
    await editSettings(world, 'advanced', { svc_maximum_uptime_monitoring_requests: 1 });
    await addDue(20);
    // All sites have the address of one site that responds slowly.
    for (const site of world.fleet.sites) site.latencyMs = 350;
    await world.container
      .knex('sites')
      .where('id', '>=', 1_000)
      .update({ url: world.site(0).url });
    let waited = 0;
    const { scheduler } = world.container.child;
    const watching = setInterval(() => (waited = Math.max(waited, scheduler.stats().waiting)), 5);
    await makeChecksDue(world);
    await runDueChecks(world);
    clearInterval(watching);
    assert.equal((await world.request('GET', '/api/v2/monitors/count?status=up')).body.count, 24);
    assert.ok(waited > 0 && waited <= 3, String(waited));
  });

  it('when many checks are due after downtime, then a run takes at most twice the checks of a minute', async () => {
    await monitorAllSites(world, { interval: 5 });
    await addDue(1_100);
    const { body } = await world.request('POST', '/api/v2/schedules/uptime-checks/run');
    const jobId: string = body.data.job_id;
    // 1,104 monitors with an interval of five minutes make 221 checks a minute. Twice that fits in three items of 200.
    assert.equal((await world.request('GET', `/api/v2/jobs/${jobId}`)).body.data.total, 3);
    await world.request('DELETE', `/api/v2/jobs/${jobId}`);
    await world.finishedJob(jobId);
  });

  it('when a clock was ahead, then checks are due within their interval again, also with an own interval', async () => {
    await monitorAllSites(world, { interval: 5 });
    const monitors = world.container.knex('monitors');
    await monitors.clone().update({ next_check_at: Date.now() + 30 * DAY });
    await monitors
      .clone()
      .where({ site_id: world.siteId(0) })
      .update({ interval_minutes: 60 });
    await world.request('POST', '/api/v2/schedules/uptime-checks/run');
    const rows = await monitors.clone().select<{ interval_minutes: number | null; next_check_at: number }[]>();
    const late = rows.filter((row) => row.next_check_at > Date.now() + (row.interval_minutes ?? 5) * MINUTE);
    assert.deepEqual(late, []);
    assert.equal(rows.length, world.siteIds.length);
    await monitors.clone().update({ interval_minutes: null });
  });

  it('when a run is cancelled, then its checks are aborted and its monitors released', async () => {
    await monitorAllSites(world);
    for (const site of world.fleet.sites) site.fault = { kind: 'hang' };
    await makeChecksDue(world);
    await addDue(20);
    const { body } = await world.request('POST', '/api/v2/schedules/uptime-checks/run');
    await until(() => world.fleet.gauge.current === 4, 'the sites to hang');
    const jobId: string = body.data.job_id;
    await world.request('DELETE', `/api/v2/jobs/${jobId}`);
    const job = await world.finishedJob(jobId);
    assert.equal(job.data.status, 'cancelled');
    assert.deepEqual(await leased(), []);
    assert.equal(world.fleet.gauge.current, 0);
    const hanging = world.siteIds.join(',');
    assert.deepEqual((await world.request('GET', `/api/v2/monitors?status=down&include=${hanging}`)).body.data, []);
    for (const site of world.fleet.sites) site.fault = null;
    await world.container.knex('sites').where('id', '>=', 1_000).delete();
    const [item] = (await runSchedule(world, 'uptime-checks')).items;
    assert.deepEqual(item.result.monitors, { begun: 4, checked: 4, up: 4, pending: 0, down: 0 });
  });

  it('when the previous run is active, then a run is skipped, and the next run makes its checks', async () => {
    await monitorAllSites(world);
    world.site(0).fault = { kind: 'hang' };
    await makeChecksDue(world);
    const { runner } = world.container.services.schedules;
    const { knex } = world.container;
    const comesDue = async (): Promise<void> => {
      await knex('schedules').where({ name: 'uptime-checks' }).update({ next_run_at: 1 });
      await runner.tick();
    };
    await runner.tick();
    await comesDue();
    const { last_job_id: jobId } = await readSchedule(world, 'uptime-checks');
    const isUp = async (): Promise<number> =>
      (await world.request('GET', '/api/v2/monitors/count?status=up')).body.count;
    await until(async () => world.fleet.gauge.current === 1 && (await isUp()) === 3, 'one site to hang');
    await makeChecksDue(world, world.siteId(1));
    await comesDue();
    const skipped = await readSchedule(world, 'uptime-checks');
    assert.deepEqual([skipped.last_job_id, skipped.last_skipped_at !== null], [jobId, true]);
    await world.request('DELETE', `/api/v2/jobs/${jobId}`);
    await world.finishedJob(jobId);
    world.site(0).fault = null;
    await comesDue();
    const { last_job_id: nextId } = await readSchedule(world, 'uptime-checks');
    const [item] = (await world.finishedJob(nextId)).items;
    assert.deepEqual([item.result.monitors.begun, item.result.monitors.up], [2, 2]);
  });
});
