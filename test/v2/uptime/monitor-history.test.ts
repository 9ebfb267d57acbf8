import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { seedBeats, seedHourlyFigures, seedIncident, seedMonitors, seedWatch } from '../../support/monitor-history.ts';
import { editSettings, ManualClock, runSchedule } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const M = '/api/v2/monitors';
const MONITORS = 24;
const YEAR = 365;
const NOW = '2026-11-22T12:30:00Z';
const TODAY = Math.floor(Date.parse(NOW) / DAY);

const daysBack = (count: number, before = 0): number[] =>
  Array.from({ length: count }, (_, index) => TODAY - before - count + 1 + index);

/** Returns false for one hour of every seventh day and another hour of every fifth day of a site. */
const isUp = (siteId: number, at: number): boolean => {
  const [day, hour] = [Math.floor(at / DAY), Math.floor((at % DAY) / HOUR)];
  return (
    !((day + siteId) % 7 === 0 && hour === siteId % 24) && !((day + siteId) % 5 === 0 && hour === (7 * siteId) % 24)
  );
};

/** True on every seventh day. On these days, the site is down from 1:00 to 2:00. */
const isBad = (siteId: number, day: number): boolean => (day + siteId) % 7 === 0;

describe('monitors with a long history', () => {
  let world: World;
  let clock: ManualClock;
  before(async () => {
    clock = new ManualClock(NOW);
    world = await startWorld({ overrides: { tickMs: null, clock } });
    const { knex } = world.container;
    await seedMonitors(knex, MONITORS);
    const ids = Array.from({ length: MONITORS }, (_, index) => index + 1);
    await seedHourlyFigures(knex, ids, daysBack(YEAR), isUp, clock.now());
    for (const id of ids)
      for (const day of daysBack(YEAR).filter((each) => isBad(id, each)))
        await seedIncident(knex, id, day * DAY + HOUR, day * DAY + 2 * HOUR);
    await seedWatch(knex, ids, clock.now() - YEAR * DAY, clock.now());
  });
  after(() => world.close());

  const list = async (query: string) => (await world.request('GET', `${M}?${query}`)).body;

  it('when monitors are listed, then their number and history do not change the number of SQL statements', async () => {
    const statements = (query: string) => world.countStatements(() => list(query));
    // The first request also loads its credential.
    await list('per_page=1');
    const ofOne = await statements('per_page=1');
    assert.ok(ofOne <= 6, String(ofOne));
    assert.equal(await statements(`per_page=${MONITORS}`), ofOne);
    const { knex } = world.container;
    const recent = await knex('monitor_days')
      .where('day', '>', TODAY - 2)
      .select();
    const all = await knex('monitor_days').select();
    await knex('monitor_days').delete();
    assert.equal(await statements(`per_page=${MONITORS}`), ofOne);
    await knex.batchInsert('monitor_days', recent, 100);
    assert.equal(await statements(`per_page=${MONITORS}`), ofOne);
    await knex('monitor_days').delete();
    await knex.batchInsert('monitor_days', all, 100);
  });

  it('when ratios and incidents are read, then an hour of downtime has the weight of an hour', async () => {
    const { data } = await list(`per_page=${MONITORS}`);
    for (const { id, ...monitor } of data) {
      const { uptime_ratio_24h, uptime_ratio_7d, uptime_ratio_30d } = monitor;
      const incidents = daysBack(30).filter((day) => isBad(id, day)).length;
      assert.deepEqual(
        [uptime_ratio_24h, uptime_ratio_7d, uptime_ratio_30d],
        [
          // 1 of 24 hours is 4.1667 %, 1 of 168 is 0.5952 %, 4 of 720 are 0.5556 %, 5 of 720 are 0.6944 %.
          isBad(id, TODAY) ? 95.833 : 100,
          99.405,
          incidents === 4 ? 99.444 : 99.306,
        ],
        `monitor ${id}`,
      );
      assert.deepEqual([monitor.incidents_count_7d, monitor.incidents_count_30d], [1, incidents]);
      assert.deepEqual([monitor.response_time_avg_ms, monitor.response_time_max_ms], [180, 180]);
    }
  });

  it('when heartbeats pass their retention, then they are deleted, and hourly figures and ratios stay', async () => {
    const { knex } = world.container;
    const days = daysBack(60);
    await seedBeats(knex, 1, days);
    const beats = async (): Promise<number> => {
      const from = new Date((TODAY - 100) * DAY).toISOString();
      const range = `${from.slice(0, 10)}/${NOW}`;
      return (await world.request('GET', `${M}/1/heartbeat?period=${range}`)).body.total;
    };
    const figures = await list(`per_page=${MONITORS}`);
    assert.equal(await beats(), 60);
    await editSettings(world, 'monitoring', { svc_uptime_monitoring_retention_days: 40 });
    const job = await runSchedule(world, 'retention');
    assert.equal(deletedRows(job, 'heartbeats'), 19);
    assert.equal(await beats(), 41);
    assert.deepEqual(await list(`per_page=${MONITORS}`), figures);
    assert.equal((await knex('monitor_days').where({ site_id: 1 })).length, YEAR);
  });

  it('when figures and incidents are older than two years, then they are deleted, except open incidents', async () => {
    const { knex } = world.container;
    const figures = await list(`per_page=${MONITORS}`);
    await seedHourlyFigures(knex, [1, 2], daysBack(20, 725), isUp);
    await seedWatch(knex, [1, 2], (TODAY - 744) * DAY, (TODAY - 740) * DAY);
    const old = (TODAY - 740) * DAY;
    await seedIncident(knex, 1, old, old + HOUR);
    await seedIncident(knex, 2, old, null);
    const before = (await world.request('GET', `${M}/1/incidents/count`)).body.count;
    const job = await runSchedule(world, 'retention');
    // Of the days from 744 to 725 days ago, those up to 730 days ago are kept.
    assert.deepEqual(
      ['uptime-figures', 'incidents', 'monitor-spans'].map((name) => deletedRows(job, name)),
      [2 * 14, 1, 2],
    );
    assert.equal((await world.request('GET', `${M}/1/incidents/count`)).body.count, before - 1);
    const oldest = (await world.request('GET', `${M}/2/incidents?per_page=200`)).body.data.at(-1);
    assert.equal(oldest.resolved, false);
    await knex('incidents').whereNull('ended_at').delete();
    assert.deepEqual(await list(`per_page=${MONITORS}`), figures);
  });
});

interface PruneJob {
  items: { identifier: string; result: { deleted: number } }[];
}
const deletedRows = ({ items }: PruneJob, name: string): number | undefined =>
  items.find(({ identifier }) => identifier === name)?.result.deleted;
