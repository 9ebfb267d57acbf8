import assert from 'node:assert/strict';
import { parseReportRange } from '../../../src/domains/pro-reports/index.ts';
import { timeZoneOf, type TimeZone } from '../../../src/domains/settings/time-zone.ts';
import { toDate } from '../../../src/shared/clock.ts';
import { comRecord } from '../../domains/domain-monitor/rdap-samples.ts';
import { checkDomain, FakeRegistries, useRegistries } from '../../support/domain-monitor.ts';
import { readClientReport, readReport, readReports, reportPath } from '../../support/pro-reports.ts';
import { addReportSchedule, makeReport } from '../../support/report-schedules.ts';
import { editSettings, ManualClock } from '../../support/schedules.ts';
import { updateSite } from '../../support/sites.ts';
import { moveSite } from '../../support/ssl-monitor.ts';
import { removeItemsWithUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const OCTOBER = { start_date: '2026-10-01', end_date: '2026-10-31' };

describe('days and time zones of a report', () => {
  let registries: FakeRegistries;
  let world: World;
  let inNewYork: number;
  let inBerlin: number;
  let client: number;

  before(async () => {
    registries = await FakeRegistries.start();
    const clock = new ManualClock('2026-11-24T08:00:00Z');
    world = await startWorld({ sites: 2, connect: 0, overrides: { clock, tickMs: null } });
    for (let index = 0; index < 2; index++) await world.freshSite(removeItemsWithUpdates);
    [inNewYork, inBerlin] = [world.siteId(0), world.siteId(1)];
    await editSettings(world, 'general', { timezone_string: 'Europe/Berlin' });
    const hudson = { name: 'Hudson Bakery', client_email: 'a@b.example', time_zone: 'America/New_York' };
    client = (await world.request('POST', '/api/v2/clients/add', { body: hudson })).body.data.id;
    await updateSite(world, inNewYork, { client_id: client });
    // In New York it is 10 pm of October 31, and in Berlin it is 3 am of November 1.
    const at = Date.parse('2026-11-01T02:00:00Z');
    const { knex } = world.container.database;
    await knex('sites').update({ created_at: Date.parse('2026-09-01T00:00:00Z') });
    await knex('changes').insert(
      [inNewYork, inBerlin].map((site_id) => ({
        ...{ site_id, source: 'dashboard', external_id: null, type: 'plugin.updated', description: 'Updated.' },
        ...{ actor: 'admin', at, object_name: 'Alpha', object_key: 'a/a.php', old_values: null, new_values: null },
      })),
    );
  });
  after(async () => {
    await world.close();
    await registries.close();
  });

  const pageOf = async (path: string, query: Record<string, string> = {}): Promise<string> =>
    (await world.agent().get(reportPath(path, { ...OCTOBER, ...query, format: 'html' }))).text;

  it('when a client has a time zone, then the days of its reports are days of that zone', async () => {
    const updatesIn = async (site: number): Promise<unknown[]> => {
      const { counts, time_zone, items } = await readReport(world, site, 'plugins', OCTOBER);
      return [time_zone, counts['updated'], items.length];
    };
    assert.deepEqual(await updatesIn(inNewYork), ['America/New_York', 1, 1]);
    assert.deepEqual(await updatesIn(inBerlin), ['Europe/Berlin', 0, 0]);
    const { data } = await readClientReport(world, client, { ...OCTOBER, segments: 'plugins' });
    assert.deepEqual([data.time_zone, data.totals[0].counts.updated], ['America/New_York', 1]);
    const { time_zone } = await readReports(world, inNewYork, { ...OCTOBER, segments: 'plugins' });
    assert.equal(time_zone, 'America/New_York');
  });

  it('when a page has times, then it names their time zone once', async () => {
    const segments = { segments: 'plugins' };
    for (const [path, query] of [
      [`pro-reports/${inNewYork}`, segments],
      [`pro-reports/${inNewYork}/plugins`, {}],
      [`clients/${client}/pro-reports`, segments],
    ] as const) {
      const page = await pageOf(path, query);
      if (path.endsWith('/plugins')) assert.match(page, />October 31, 2026 at 10:00 PM</, path);
      assert.equal(page.match(/America\/New.York/g)?.length, 1, path);
    }
    const tokens = await readReport(world, inNewYork, 'plugins', { ...OCTOBER, format: 'tokens' });
    assert.equal(tokens.sections_data[0]?.[0]?.['[plugin.updated.time]'], '10:00 pm');
  });

  it('when a schedule makes a report, then the stored report has the time zone of its client', async () => {
    const schedule = await addReportSchedule(world, { client_id: client, segments: ['plugins'] });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual([report.time_zone, report.summary[0]], ['America/New_York', 'On 1 site, 1 update was installed.']);
  });

  it('when a client has no time zone, then its reports have the one of the settings', async () => {
    await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { time_zone: null } });
    assert.equal((await readReport(world, inNewYork, 'plugins', OCTOBER)).time_zone, 'Europe/Berlin');
    const body = { time_zone: 'Mars/Olympus_Mons' };
    const refused = await world.request('PUT', `/api/v2/clients/${client}/edit`, { body, expect: 400 });
    assert.match(JSON.stringify(refused.body), /time_zone/);
  });

  it('when a theme has a last release, then it is a date without a time', async () => {
    const { items } = await readReport(world, inNewYork, 'abandoned', OCTOBER);
    assert.match(String(items[0]?.['last_updated']), /^\d{4}-\d{2}-\d{2}$/);
    const page = await pageOf(`pro-reports/${inNewYork}/abandoned`);
    const cells = [...page.matchAll(/data-label="Last release"><span>(.*?)<\/span>/g)].map(([, text]) => text ?? '');
    assert.ok(cells.length > 0);
    for (const cell of cells) assert.match(cell, /^[A-Z][a-z]+ \d+, \d{4}$/);
  });

  it('when a domain was looked up, then its registration has dates without times', async () => {
    await useRegistries(world, registries);
    registries.rdap['harbour.com'] = { record: comRecord('harbour.com', '2027-03-01T23:30:00Z') };
    await moveSite(world, inBerlin, 'https://www.harbour.com/');
    await checkDomain(world, inBerlin);
    const page = await pageOf(`pro-reports/${inBerlin}/domainmonitor`);
    assert.match(page, /<dt>Expires<\/dt><dd dir="auto">March 1, 2027<\/dd>/);
    const { other_tokens_data: tokens } = await readReport(world, inBerlin, 'domainmonitor', {
      ...OCTOBER,
      format: 'tokens',
    });
    assert.equal(tokens['[domainmonitor.expiry.date]'], 'March 1, 2027');
  });
});

describe('start of a report day', () => {
  for (const [zone, day, start] of [
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    // At midnight, the clocks go forward to 1 am.
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    // At 11 pm of the day before, they go forward to midnight.
    ['America/Nuuk', '2026-03-29', '2026-03-29T01:00:00.000Z'],
    // At 1 am, they go back to midnight.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    // At midnight, they go back to 11 pm of the day before.
    ['Asia/Beirut', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ] as const)
    it(`when the zone is ${zone}, then ${day} starts at ${start}`, () => {
      const clocks = { zoneName: zone, zone: timeZoneOf(zone) as TimeZone };
      const range = parseReportRange({ startDate: day, endDate: day }, clocks);
      assert.equal(new Date(range.from).toISOString(), start);
      const dayBefore = toDate(Date.parse(day) - 86_400_000);
      const { until } = parseReportRange({ startDate: dayBefore, endDate: dayBefore }, clocks);
      assert.equal(new Date(until).toISOString(), start);
    });
});
