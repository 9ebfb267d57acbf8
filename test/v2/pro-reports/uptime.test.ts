import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { seedHourlyFigures } from '../../support/monitor-history.ts';
import { readReport } from '../../support/pro-reports.ts';
import { editSettings, ManualClock } from '../../support/schedules.ts';
import { runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('reports on uptime', () => {
  let world: World;
  let clock: ManualClock;

  before(async () => {
    clock = new ManualClock('2026-11-19T22:00:00Z');
    world = await startWorld({ sites: 2, overrides: { clock, deadlines: { confirmAfterMs: 5, checkMs: 60_000 } } });
  });
  after(() => world.close());

  const checkAt = async (at: string, isUp: boolean): Promise<void> => {
    clock.set(at);
    world.site(0).fault = isUp ? null : { kind: 'raw', status: 503, body: 'Busy' };
    await makeChecksDue(world, world.siteId(0));
    await runDueChecks(world);
  };
  const report = (query: Record<string, string> = {}) => readReport(world, world.siteId(0), 'uptime', query);

  it('when a site was never checked, then the report has no items', async () => {
    const { source, items, counts, summary } = await report();
    assert.deepEqual([source, items], ['monitors', []]);
    assert.deepEqual(counts, { incidents: 0, checks_up: 0, checks_down: 0 });
    assert.deepEqual([summary['ratio_all'], summary['status']], [null, 'paused']);
  });

  it('when a site went down, then days, incidents and ratios show the downtime in local time', async () => {
    await editSettings(world, 'general', { timezone_string: 'Europe/Berlin' });
    await monitorAllSites(world, { interval: 60 });
    // In Berlin, the second and third check are on the 20th.
    await checkAt('2026-11-19T22:10:00Z', true);
    await checkAt('2026-11-19T23:10:00Z', false);
    await checkAt('2026-11-19T23:40:00Z', true);
    await checkAt('2026-11-20T12:10:00Z', true);
    await checkAt('2026-11-21T12:10:00Z', false);
    clock.set('2026-11-21T13:10:00Z');
    const { items, counts, summary, total } = await report();
    const days = items.filter(({ kind }) => kind === 'day');
    const of = ({ day, uptime_percentage, downtime_minutes, incidents }: Record<string, unknown>) => [
      ...[day, uptime_percentage, downtime_minutes, incidents],
    ];
    assert.deepEqual(days.map(of), [
      ['2026-11-21', 0, 60, 1],
      ['2026-11-20', 66.667, 30, 1],
      ['2026-11-19', 100, 0, 0],
    ]);
    const incidents = items.filter(({ kind }) => kind === 'incident');
    assert.deepEqual(
      incidents.map(({ started_at, ended_at, downtime_minutes }) => [started_at, ended_at, downtime_minutes]),
      [
        ['2026-11-21T12:10:00Z', null, 60],
        ['2026-11-19T23:10:00Z', '2026-11-19T23:40:00Z', 30],
      ],
    );
    assert.match(String(incidents[0]?.['cause']), /503/);
    assert.equal(total, 5);
    assert.deepEqual(counts, { incidents: 2, checks_up: 3, checks_down: 2 });
    assert.deepEqual(
      [summary['ratio_all'], summary['ratio_7'], summary['downtime_minutes'], summary['status']],
      [60, 60, 90, 'down'],
    );
    assert.ok(Number(summary['response_min']) <= Number(summary['response_avg']));
    assert.ok(Number(summary['response_avg']) <= Number(summary['response_max']));
  });

  it('when the period ends before an incident, then the report does not have the incident', async () => {
    const { items, summary } = await report({ start_date: '2026-11-19', end_date: '2026-11-19' });
    assert.deepEqual(
      items.map(({ kind, day }) => [kind, day]),
      [['day', '2026-11-19']],
    );
    assert.equal(summary['ratio_all'], 100);
  });

  it('when there are months of checks, then each ratio covers its own number of days', async () => {
    const id = world.siteId(1);
    const today = Math.floor(clock.now() / DAY);
    const days = Array.from({ length: 70 }, (_, index) => today - 1 - index);
    // In the last 40 days, the site is down in the first hour of each day.
    const isUp = (_site: number, at: number): boolean => at % DAY !== 0 || at < clock.now() - 40 * DAY;
    await world.container.knex('monitor_days').where({ site_id: id }).delete();
    await seedHourlyFigures(world.container.knex, [id], days, isUp);
    await editSettings(world, 'general', { timezone_string: 'UTC' });
    const { summary } = await readReport(world, id, 'uptime', { start_date: '2026-09-01', end_date: '2026-11-30' });
    const until = clock.now();
    for (const count of [7, 15, 30, 45, 60]) {
      const hours = days
        .flatMap((day) => Array.from({ length: 24 }, (_, hour) => day * DAY + hour * HOUR))
        .filter((at) => at >= until - count * DAY && at < until);
      const share = (100 * hours.filter((at) => isUp(id, at)).length) / hours.length;
      assert.equal(summary[`ratio_${count}`], Math.round(share * 1000) / 1000, String(count));
    }
  });
});
