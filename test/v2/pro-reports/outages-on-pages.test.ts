import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { seedIncident, seedWatch } from '../../support/monitor-history.ts';
import { readReport, reportPath } from '../../support/pro-reports.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const NOVEMBER = { start_date: '2026-11-01', end_date: '2026-11-30' };
const at = (time: string): number => Date.parse(`2026-${time}:00Z`);

describe('outages on the page of a report', () => {
  let world: World;
  let ids: number[];
  before(async () => {
    const clock = new ManualClock('2026-10-01T00:00:00Z');
    world = await startWorld({ sites: 4, overrides: { clock, tickMs: null } });
    clock.set('2026-11-27T12:00:00Z');
    ids = [0, 1, 2, 3].map((index) => world.siteId(index));
    const { knex } = world.container;
    const [overMonths = 0, unwatched = 0, updated = 0, down = 0] = ids;
    await seedWatch(knex, [overMonths, updated, down], at('10-02T00:00'), at('11-27T12:00'));
    await seedIncident(knex, overMonths, at('10-31T21:00'), at('11-01T05:00'));
    await seedWatch(knex, [unwatched], at('10-02T00:00'), at('11-10T10:20'));
    await seedWatch(knex, [unwatched], at('11-20T10:00'), at('11-27T12:00'));
    await seedIncident(knex, unwatched, at('11-10T10:10'), at('11-20T10:05'));
    await seedIncident(knex, updated, at('11-10T11:02'), at('11-10T11:04'));
    await seedWatch(knex, [updated], at('11-10T11:00'), at('11-10T11:10'), 'update');
    await seedIncident(knex, down, at('11-24T10:00'), null);
  });
  after(() => world.close());

  const pageOf = async (path: string, days: Record<string, string> = NOVEMBER): Promise<string> =>
    (
      await world
        .agent()
        .get(reportPath(path, { ...days, format: 'html' }))
        .expect(200)
    ).text
      .replaceAll('\u00a0', ' ')
      .replaceAll('\u2060', '');

  it('when an outage began before the period, then its minutes are those of the period', async () => {
    const { items } = await readReport(world, ids[0] ?? 0, 'uptime', NOVEMBER);
    const incident = items.find(({ kind }) => kind === 'incident');
    // From midnight to 5 am.
    assert.equal(incident?.['downtime_minutes'], 300);
    const page = await pageOf(`pro-reports/${ids[0]}`);
    assert.match(page, /1 outage, 5 hours in total\./);
    assert.match(page, /October 31, 2026 at 9:00 PM, for at least 5 hours/);
  });

  it('when an outage was only during one of our updates, then the page has none', async () => {
    const page = await pageOf(`pro-reports/${ids[2]}`);
    assert.match(page, /The site was online 100% of the time\./);
    assert.doesNotMatch(page, /it was down|1 outage/);
  });

  it('when a site is down and the period is not over, then the page says that it was down when it was made', async () => {
    assert.match(
      await pageOf(`pro-reports/${ids[3]}`),
      /Since November 24, 2026 at 10:00 AM: still down when this report/,
    );
    const past = { start_date: '2026-11-01', end_date: '2026-11-25' };
    assert.match(await pageOf(`pro-reports/${ids[3]}`, past), /still down at the end of the period/);
  });

  it('when nobody watched a site during an outage, then these days are no days of outage', async () => {
    const client = await createClient(world, 'Harbour', { selected_sites: ids });
    const cells = [
      ...(await pageOf(`clients/${client}/pro-reports`)).matchAll(/data-label="Outages">(?:<span>)?([^<]*)/g),
    ];
    assert.deepEqual(
      new Set(cells.map(([, text]) => text)),
      // Ten minutes on the 10th and five on the 20th were watched.
      new Set(['Nov 1', 'Nov 10, Nov 20', '', 'Nov 24 – 27']),
    );
  });
});
