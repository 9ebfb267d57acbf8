import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import {
  addBlockedAttacks,
  disableReportsPlugin,
  enableReportsPlugin,
  addSales,
  addReportRecord,
} from '../../support/report-data.ts';
import { NOVEMBER_2026, readCsv, readReport, refuseReport } from '../../support/pro-reports.ts';
import { startWorld, type World } from '../../support/world.ts';

const CHILD_RECORDED_SEGMENTS = ['backups', 'maintenance', 'scanner1', 'scanner2', 'securityplugin1'] as const;
const SCANNED = 'Scan complete. You have 3 new issues to fix. See below.';
const CLEAN = 'Scan complete. Congratulations, no new problems found.';

describe('report segments from plugins of a site', () => {
  let world: World;
  let site: SimulatedSite;
  let id: number;

  before(async () => {
    world = await startWorld({ sites: 1 });
    site = world.site(0);
    id = world.siteId(0);
  });
  after(() => world.close());
  beforeEach(() => {
    site.fault = null;
    enableReportsPlugin(site);
    site.state.shop = null;
  });

  it('when backups were made, then the report has those of the period, and those of a provider', async () => {
    addReportRecord(site, 'backup.created', '2026-10-31 23:59:59', { type: 'too early' });
    addReportRecord(site, 'backup.created', '2026-11-01 00:00:00', { type: 'database' });
    addReportRecord(site, 'backup.created', '2026-11-30 23:59:59', { type: 'database, plugins' });
    addReportRecord(site, 'backup.created', '2026-12-01 00:00:00', { type: 'too late' });
    const kept = Date.parse('2026-11-20T10:00:00Z');
    const { knex } = world.container.database;
    const { backups } = world.container.services.backups;
    await knex.transaction((trx) => backups.record(trx, 'digitalocean', new Map([[id, kept]])));
    await knex.transaction((trx) => backups.record(trx, 'child', new Map([[id, Date.parse('2026-11-30T23:59:50Z')]])));
    const report = await readReport(world, id, 'backups');
    assert.equal(report.source, 'child-reports');
    const made = { action: 'created', destination: null };
    assert.deepEqual(report.items, [
      { ...made, type: 'database, plugins', date: '2026-11-30T23:59:59Z' },
      { ...made, type: null, destination: 'digitalocean', date: '2026-11-20T10:00:00Z' },
      { ...made, type: 'database', date: '2026-11-01T00:00:00Z' },
    ]);
    assert.deepEqual([report.counts, report.total], [{ created: 3 }, 3]);
    disableReportsPlugin(site);
    const known = await readReport(world, id, 'backups');
    assert.equal(known.source, 'backups');
    assert.deepEqual(
      known.items.map(({ date }) => date),
      ['2026-11-30T23:59:50Z', '2026-11-20T10:00:00Z'],
    );
    await knex('site_backups').delete();
    const { source, items, counts } = await readReport(world, id, 'backups');
    assert.deepEqual({ source, items, counts }, { source: 'none', items: [], counts: { created: 0 } });
  });

  it('when maintenance ran on the site, then its tasks are items', async () => {
    addReportRecord(site, 'maintenance.process', '2026-11-20 11:00:00', {
      details: 'Spam',
      result: 'Maintenance Performed',
    });
    addReportRecord(site, 'maintenance.process', '2026-11-21 11:00:00', {
      details: 'Tags',
      result: 'Maintenance Performed',
    });
    const { items, counts } = await readReport(world, id, 'maintenance');
    const done = { action: 'process', result: 'Maintenance Performed' };
    assert.deepEqual(items, [
      { ...done, details: 'Tags', date: '2026-11-21T11:00:00Z' },
      { ...done, details: 'Spam', date: '2026-11-20T11:00:00Z' },
    ]);
    assert.deepEqual(counts, { process: 2 });
  });

  it('when a scanner checked the site, then its results are items', async () => {
    addReportRecord(site, 'sucuri.checks', '2026-11-20 12:00:00', { status: 'Verified Clear', webtrust: 'Trusted' });
    addReportRecord(site, 'sucuri.checks', '2026-11-21 12:00:00', {
      status: 'Site Blacklisted',
      webtrust: 'Site Blacklisted',
    });
    addReportRecord(site, 'sucuri.checks', '2026-11-22 12:00:00');
    const { items, counts } = await readReport(world, id, 'scanner1');
    assert.deepEqual(items, [
      { action: 'checks', status: null, webtrust: null, date: '2026-11-22T12:00:00Z' },
      { action: 'checks', status: 'blacklisted', webtrust: 'blacklisted', date: '2026-11-21T12:00:00Z' },
      { action: 'checks', status: 'clear', webtrust: 'trusted', date: '2026-11-20T12:00:00Z' },
    ]);
    assert.deepEqual(counts, { checks: 3 });
  });

  it('when security plugins have scans and blocked attacks, then the report has both', async () => {
    addReportRecord(site, 'wordfence.scan', '2026-11-20 13:00:00', { result: 'Issues Detected', details: SCANNED });
    addReportRecord(site, 'ithemes.scan', '2026-11-20 14:00:00', { result: 'No issues detected', details: CLEAN });
    addBlockedAttacks(site, 'wordfence-blocked', '2026-11-30 23:00:00', 7);
    addBlockedAttacks(site, 'ithemes-blocked', '2026-11-01 01:00:00', 5);
    addBlockedAttacks(site, 'ithemes-lockout', '2026-11-20 13:30:00', 2);
    for (const kind of ['wordfence-blocked', 'ithemes-lockout'] as const)
      addBlockedAttacks(site, kind, '2026-12-01 00:30:00', 100);
    const wordfence = await readReport(world, id, 'scanner2');
    assert.deepEqual(wordfence.items, [
      { action: 'scan', result: 'issues', details: SCANNED, issues: 3, date: '2026-11-20T13:00:00Z' },
    ]);
    assert.deepEqual(wordfence.counts, { scan: 1, blocked: 7 });
    const ithemes = await readReport(world, id, 'securityplugin1');
    assert.deepEqual(ithemes.items, [
      { action: 'scan', result: 'no_issues', details: CLEAN, issues: 0, date: '2026-11-20T14:00:00Z' },
    ]);
    assert.deepEqual(ithemes.counts, { scan: 1, blocked: 5, lockouts: 2 });
    const tokens = await readReport(world, id, 'securityplugin1', { format: 'tokens' });
    assert.equal(tokens.sections_data[0]?.[0]?.['[securityplugin1.scan.utime]'], '2026-11-20 14:00:00');
    assert.equal(tokens.other_tokens_data['[securityplugin1.lockouts.count]'], '2');
  });

  it('when the site has a shop, then the report has its sales and stock', async () => {
    addSales(site, [
      { time: '2026-11-10 10:00:00', product: 'Rye bread', quantity: 2, total: 19.5 },
      { time: '2026-11-11 10:00:00', product: 'Roll', quantity: 30, total: 30 },
      { time: '2026-12-11 10:00:00', product: 'Cake', quantity: 99, total: 990 },
    ]);
    const { source, counts, summary } = await readReport(world, id, 'shopstatus');
    assert.equal(source, 'child-reports');
    assert.deepEqual(counts, { awaiting_processing: 3, on_hold: 2, low_stock: 4, out_of_stock: 1 });
    assert.deepEqual(summary, { sales: 49.5, sales_text: '€49.50', top_seller: 'Roll', top_seller_quantity: 30 });
    site.state.shop = null;
    const none = await readReport(world, id, 'shopstatus');
    assert.deepEqual({ source: none.source, summary: none.summary }, { source: 'none', summary: {} });
  });

  it('when the site has no records, then every report is empty', async () => {
    for (const segment of CHILD_RECORDED_SEGMENTS) {
      const { items, source } = await readReport(world, id, segment);
      assert.deepEqual({ items, source }, { items: [], source: 'child-reports' }, segment);
    }
    disableReportsPlugin(site);
    for (const segment of CHILD_RECORDED_SEGMENTS) {
      const { items, source, counts, ...report } = await readReport(world, id, segment);
      assert.deepEqual({ items, source }, { items: [], source: 'none' }, segment);
      assert.ok(Object.values(counts).every((count) => count === 0));
      assert.deepEqual([report.sections_data, report.other_tokens_data], [[], {}]);
    }
  });

  it('when several segments are requested, then each is requested once from the site', async () => {
    const before = site.countOf('client_report');
    const query = new URLSearchParams({ ...NOVEMBER_2026, segments: 'backups,maintenance,scanner1' });
    const { body } = await world.request('GET', `/api/v2/pro-reports/${id}?${query.toString()}`);
    assert.deepEqual(Object.keys(body.data.segments), ['backups', 'maintenance', 'scanner1']);
    assert.equal(site.countOf('client_report') - before, 3);
  });

  it('when there are more items than the limit, then the report has the newest and CSV has all', async () => {
    for (let minute = 10; minute < 60; minute++)
      for (const hour of ['10', '11', '12'])
        addReportRecord(site, 'backup.created', `2026-11-20 ${hour}:${minute}:00`, { type: '=cmd()' });
    const { items, total, counts } = await readReport(world, id, 'backups');
    assert.deepEqual([items.length, total, counts['created']], [100, 150, 150]);
    assert.equal(items[0]?.['date'], '2026-11-20T12:59:00Z');
    const { lines } = await readCsv(world, id, 'backups');
    assert.equal(lines.length, 151);
    assert.equal(lines[1], "created,'=cmd(),,2026-11-20T12:59:00Z");
  });

  it('when texts have HTML and control characters, then they are one line of limited text', async () => {
    const details = `<img src=x onerror=alert(1)>\n\u202e${'x'.repeat(10_000)}`;
    addReportRecord(site, 'maintenance.process', '2026-11-20 11:00:00', { details, result: '' });
    const [item] = (await readReport(world, id, 'maintenance')).items;
    const text = String(item?.['details']);
    assert.equal(text.length, 1_000);
    assert.match(text, /^<img src=x onerror=alert\(1\)> x+$/);
  });

  it('when the site fails, then the report fails with 502', async () => {
    site.fault = { kind: 'fatal', when: 'before', function: 'client_report' };
    await refuseReport(world, id, 'backups', { expect: 502 });
  });

  it('when the site fails, then CSV fails with 502 before any line is sent', async () => {
    site.fault = { kind: 'fatal', when: 'before', function: 'client_report' };
    const path = `/api/v2/pro-reports/${id}/backups?${new URLSearchParams({ ...NOVEMBER_2026, format: 'csv' }).toString()}`;
    const { body } = await world.request('GET', path, { expect: 502 });
    assert.match(body.code, /^svc_site_/);
  });
});
