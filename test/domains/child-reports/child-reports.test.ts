import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHILD_REPORT_SECTIONS, ChildReports } from '../../../src/domains/child-reports/index.ts';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { ChildUnreachableError } from '../../../src/shared/child-call-errors.ts';
import { ConflictError } from '../../../src/shared/errors.ts';
import {
  addBlockedAttacks,
  disableReportsPlugin,
  enableReportsPlugin,
  addSales,
  addReportRecord,
} from '../../support/report-data.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAY = 86_400_000;
const at = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`);

/** Returns a range of days in a zone that is this many hours east of UTC. */
const daysOf = (startDate: string, endDate: string, hoursEast = 0) => ({
  startDate,
  endDate,
  from: Date.parse(startDate) - hoursEast * 3_600_000,
  until: Date.parse(endDate) + DAY - hoursEast * 3_600_000,
});

const NOVEMBER = daysOf('2026-11-01', '2026-11-30');
const EMPTY = {
  backups: { items: [], counts: { created: 0 } },
  maintenance: { items: [], counts: { process: 0 } },
  scanner1: { items: [], counts: { checks: 0 } },
  scanner2: { items: [], counts: { scan: 0, blocked: 0 } },
  securityplugin1: { items: [], counts: { scan: 0, blocked: 0, lockouts: 0 } },
};

describe('report data of plugins on a site', () => {
  let world: World;
  let site: SimulatedSite;
  let reports: ChildReports;

  before(async () => {
    world = await startWorld({ sites: 2 });
    site = world.site(0);
    reports = world.container.services.childReports.childReports;
  });
  after(() => world.close());
  beforeEach(() => {
    site.fault = null;
    enableReportsPlugin(site);
    site.state.shop = null;
  });

  const calls = (): number => site.countOf('client_report');

  it('when all sections are requested, then each has its records, and one call reads all counters', async () => {
    addReportRecord(site, 'backup.created', '2026-11-20 10:00:00', { type: 'database' });
    addReportRecord(site, 'backup.created', '2026-11-21 10:00:00', { type: 'files' });
    addReportRecord(site, 'maintenance.process', '2026-11-20 11:00:00', {
      details: 'Spam',
      result: 'Maintenance Performed',
    });
    addReportRecord(site, 'sucuri.checks', '2026-11-20 12:00:00', { status: 'Verified Clear', webtrust: 'Trusted' });
    addReportRecord(site, 'sucuri.checks', '2026-11-20 12:30:00', {
      status: 'Site Blacklisted, Site With Warnings',
      webtrust: 'Site Blacklisted',
    });
    addReportRecord(site, 'sucuri.checks', '2026-11-20 12:40:00', { status: 'Sauber', webtrust: '' });
    addReportRecord(site, 'wordfence.scan', '2026-11-20 13:00:00', {
      result: 'Issues Detected',
      details: 'Scan complete. You have 3 new issues to fix. See below.',
    });
    addReportRecord(site, 'ithemes.scan', '2026-11-20 14:00:00', {
      result: 'No issues detected',
      details: 'Scan complete. Congratulations, no new problems found.',
    });
    addBlockedAttacks(site, 'wordfence-blocked', '2026-11-20 13:30:00', 7);
    addBlockedAttacks(site, 'ithemes-blocked', '2026-11-20 13:30:00', 5);
    addBlockedAttacks(site, 'ithemes-lockout', '2026-11-20 13:30:00', 2);
    addBlockedAttacks(site, 'ithemes-lockout', '2026-12-01 00:30:00', 100);
    const before = calls();
    assert.deepEqual(await reports.of(world.siteId(0), NOVEMBER, CHILD_REPORT_SECTIONS), {
      available: true,
      backups: {
        items: [
          { at: at('2026-11-21 10:00:00'), type: 'files' },
          { at: at('2026-11-20 10:00:00'), type: 'database' },
        ],
        counts: { created: 2 },
      },
      maintenance: {
        items: [{ at: at('2026-11-20 11:00:00'), details: 'Spam', result: 'Maintenance Performed' }],
        counts: { process: 1 },
      },
      scanner1: {
        items: [
          { at: at('2026-11-20 12:40:00'), status: 'Sauber', webtrust: null },
          { at: at('2026-11-20 12:30:00'), status: 'blacklisted, warnings', webtrust: 'blacklisted' },
          { at: at('2026-11-20 12:00:00'), status: 'clear', webtrust: 'trusted' },
        ],
        counts: { checks: 3 },
      },
      scanner2: {
        items: [
          {
            at: at('2026-11-20 13:00:00'),
            result: 'issues',
            details: 'Scan complete. You have 3 new issues to fix. See below.',
            issues: 3,
          },
        ],
        counts: { scan: 1, blocked: 7 },
      },
      securityplugin1: {
        items: [
          {
            at: at('2026-11-20 14:00:00'),
            result: 'no_issues',
            details: 'Scan complete. Congratulations, no new problems found.',
            issues: 0,
          },
        ],
        counts: { scan: 1, blocked: 5, lockouts: 2 },
      },
    });
    assert.equal(calls() - before, CHILD_REPORT_SECTIONS.length + 1);
  });

  it('when sections without counters are requested, then no counters are read and the other sections stay empty', async () => {
    addReportRecord(site, 'backup.created', '2026-11-20 10:00:00', { type: 'database' });
    addReportRecord(site, 'wordfence.scan', '2026-11-20 13:00:00');
    const before = calls();
    const report = await reports.of(world.siteId(0), NOVEMBER, ['backups', 'maintenance']);
    assert.equal(report.backups.items.length, 1);
    assert.deepEqual({ ...report, backups: EMPTY.backups }, { available: true, ...EMPTY });
    assert.equal(calls() - before, 2);
  });

  it('when the days are in another time zone, then they start and end there to the second', async () => {
    for (const time of ['2026-10-31 11:59:59', '2026-10-31 12:00:00', '2026-11-01 11:59:59', '2026-11-01 12:00:00'])
      addReportRecord(site, 'backup.created', time, { type: time });
    const { backups } = await reports.of(world.siteId(0), daysOf('2026-11-01', '2026-11-01', 12), ['backups']);
    assert.deepEqual(
      backups.items.map(({ type }) => type),
      ['2026-11-01 11:59:59', '2026-10-31 12:00:00'],
    );
  });

  it('when a backup is recorded twice in one second, then it is counted once', async () => {
    for (const type of ['database', 'files']) addReportRecord(site, 'backup.created', '2026-11-20 10:00:00', { type });
    const { backups } = await reports.of(world.siteId(0), NOVEMBER, ['backups']);
    assert.deepEqual(backups.counts, { created: 1 });
  });

  it('when the reports plugin is missing, then the report is unavailable and the site has no sync error', async () => {
    disableReportsPlugin(site);
    const id = world.siteId(0);
    assert.deepEqual(await reports.of(id, NOVEMBER, CHILD_REPORT_SECTIONS), { available: false, ...EMPTY });
    const { body } = await world.request('GET', `/api/v2/sites/${id}`);
    assert.deepEqual(body.data.sync_errors, []);
  });

  it('when the site does not respond, then the deadline ends the call', async () => {
    site.fault = { kind: 'hang' };
    const { child, services } = world.container;
    const impatient = new ChildReports({ child, calls: services.sites.calls, deadlineMs: 300 });
    await assert.rejects(impatient.of(world.siteId(0), NOVEMBER, CHILD_REPORT_SECTIONS), (error) => {
      assert.ok(error instanceof ChildUnreachableError);
      assert.match(error.message, /did not return its report data within 1 seconds/);
      return true;
    });
  });

  it('when the report is about many sites, then the deadline begins with the first turn at the site', async () => {
    const { child, services } = world.container;
    const impatient = new ChildReports({ child, calls: services.sites.calls, deadlineMs: 1_000 });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    site.faultQueue.push({ kind: 'delay', ms: { until: released } });
    const other = reports.of(world.siteId(0), NOVEMBER, ['backups']);
    await until(() => site.faultQueue.length === 0, 'the other call');
    const before = calls();
    let ended = false;
    const asked = impatient
      .of(world.siteId(0), NOVEMBER, ['backups'], { deadline: impatient.siteDeadline() })
      .finally(() => (ended = true));
    asked.catch(() => undefined);
    await sleep(1_200);
    assert.equal(ended, false);
    site.fault = { kind: 'hang' };
    release();
    await other;
    await assert.rejects(asked, (error) => error instanceof ChildUnreachableError);
    assert.equal(calls() - before, 1);
  });

  it('when the caller aborts, then the error is the reason of the abort', async () => {
    site.fault = { kind: 'hang' };
    const reason = new Error('no longer wanted');
    const asked = reports.of(world.siteId(0), NOVEMBER, ['backups'], { signal: AbortSignal.abort(reason) });
    await assert.rejects(asked, reason);
  });

  it('when the site is suspended, then it is not called', async () => {
    const id = world.siteId(1);
    await world.request('POST', `/api/v2/sites/${id}/suspend`);
    await assert.rejects(reports.of(id, NOVEMBER, ['backups']), (error) => error instanceof ConflictError);
    assert.equal(world.site(1).countOf('client_report'), 0);
  });

  it('when the site has a shop, then the sales of the requested days are returned, otherwise null', async () => {
    const id = world.siteId(0);
    assert.equal(await reports.shop(id, NOVEMBER), null);
    addSales(site, [
      { time: '2026-10-31 23:59:59', product: 'Rye bread', quantity: 90, total: 900 },
      { time: '2026-11-01 00:00:00', product: 'Rye bread', quantity: 2, total: 19.5 },
      { time: '2026-11-30 23:59:59', product: 'Roll & co', quantity: 3, total: 4.25 },
      { time: '2026-12-01 00:00:00', product: 'Rye bread', quantity: 90, total: 900 },
    ]);
    assert.deepEqual(await reports.shop(id, NOVEMBER), {
      sales: 23.75,
      salesText: '€23.75',
      topSeller: { name: 'Roll & co', quantity: 3 },
      awaitingProcessing: 3,
      onHold: 2,
      lowStock: 4,
      outOfStock: 1,
    });
  });
});
