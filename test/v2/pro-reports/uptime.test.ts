import assert from 'node:assert/strict';
import { DAY, HOUR, MINUTE } from '../../../src/shared/clock.ts';
import { seedIncident, seedWatch } from '../../support/monitor-history.ts';
import { readReport, reportPath } from '../../support/pro-reports.ts';
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
    assert.deepEqual([summary['downtime_minutes'], summary['watched_since'], summary['gaps']], [null, null, []]);
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
    const of = ({ day, uptime_percentage, downtime_minutes, watched_minutes, incidents }: Record<string, unknown>) => [
      ...[day, uptime_percentage, downtime_minutes, watched_minutes, incidents],
    ];
    // Checks were in time from 22:10 to 23:40, and the last one is not overdue. In Berlin, the 20th begins at 23:00.
    assert.deepEqual(days.map(of), [
      ['2026-11-21', 0, 60, 60, 1],
      ['2026-11-20', 25, 30, 40, 1],
      ['2026-11-19', 100, 0, 50, 0],
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
      // 90 of 150 minutes.
      [40, 40, 90, 'down'],
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

  it('when there are months of incidents, then each ratio is the share of its own days', async () => {
    const id = world.siteId(1);
    const { knex } = world.container;
    const until = clock.now();
    await seedWatch(knex, [id], until - 70 * DAY, until);
    for (const [daysAgo, minutes] of [
      [3, 22],
      [20, 6 * 60],
      [50, 24 * 60],
    ] as const)
      await seedIncident(knex, id, until - daysAgo * DAY, until - daysAgo * DAY + minutes * MINUTE);
    await editSettings(world, 'general', { timezone_string: 'UTC' });
    const { summary } = await readReport(world, id, 'uptime', { start_date: '2026-09-01', end_date: '2026-11-30' });
    assert.deepEqual(
      [7, 15, 30, 45, 60].map((count) => summary[`ratio_${count}`]),
      // 22 of 10,080 minutes, 22 of 21,600, 382 of 43,200, 382 of 64,800, 1,822 of 86,400.
      [99.782, 99.898, 99.116, 99.41, 97.891],
    );
    // 70 days have 100,800 minutes.
    assert.deepEqual(
      [summary['ratio_all'], summary['downtime_minutes'], summary['watched_minutes']],
      [...[98.192, 1822, 100_800]],
    );
  });

  it('when a site was down for 22 minutes of 30 days, then its uptime is 99.949 %', async () => {
    const id = world.siteId(1);
    const { knex } = world.container;
    await knex('incidents').where({ site_id: id }).delete();
    await knex('monitor_spans').where({ site_id: id }).delete();
    const from = Date.parse('2026-09-01T00:00:00Z');
    await seedWatch(knex, [id], from, from + 30 * DAY);
    await seedIncident(knex, id, from + 5 * HOUR, from + 5 * HOUR + 22 * MINUTE);
    const { summary } = await readReport(world, id, 'uptime', { start_date: '2026-09-01', end_date: '2026-09-30' });
    // 22 of 43,200 minutes are 0.0509 %.
    assert.deepEqual([summary['ratio_all'], summary['downtime_minutes']], [99.949, 22]);
  });

  it('when an earlier release watched the site, then uptime is computed from incidents, and the report says so', async () => {
    const id = world.siteId(1);
    const { knex } = world.container;
    const [from, upgrade, until] = ['2026-10-01', '2026-10-21', '2026-10-31'].map((day) => Date.parse(day)) as [
      ...[number, number, number],
    ];
    await seedWatch(knex, [id], from, upgrade, 'estimated');
    await seedWatch(knex, [id], upgrade, until);
    await seedIncident(knex, id, from + 4 * DAY, from + 4 * DAY + 12 * HOUR);
    const october = { start_date: '2026-10-01', end_date: '2026-10-30' };
    const { summary } = await readReport(world, id, 'uptime', october);
    // 12 of 720 hours are 1.6667 %.
    assert.deepEqual([summary['ratio_all'], summary['estimated_until']], [98.333, '2026-10-21T00:00:00Z']);
    const { text } = await world.agent().get(reportPath(`pro-reports/${id}/uptime`, { ...october, format: 'html' }));
    assert.match(text, /Computed from outages until<\/dt><dd dir="auto">October 21, 2026/);
    const later = await readReport(world, id, 'uptime', { ...october, start_date: '2026-10-22' });
    assert.equal(later.summary['estimated_until'], null);
  });
});
