import assert from 'node:assert/strict';
import { editEmails, FakeMailServer, waitForMailState } from '../../support/mail.ts';
import { auditSites, FakePageSpeedApi, scoreReply, usePageSpeedApi } from '../../support/perf-audit.ts';
import { readReport, reportPath } from '../../support/pro-reports.ts';
import { addReportSchedule, makeReport } from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  FeedServer,
  refreshFeeds,
  setPluginVersion,
  useWordfenceFeed,
  wordfenceFeed,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

const OCTOBER = { start_date: '2026-10-01', end_date: '2026-10-31' };
const NOVEMBER = { start_date: '2026-11-01', end_date: '2026-11-30' };
const [FIXED_LATER, FOUND_LATER] = [0, 1];

describe('moments of a report', () => {
  let mails: FakeMailServer;
  let api: FakePageSpeedApi;
  let feed: FeedServer;
  let world: World;
  let clock: ManualClock;
  let found: number;

  before(async () => {
    [mails, api, feed] = await Promise.all([
      new FakeMailServer().start(),
      FakePageSpeedApi.start(),
      FeedServer.start(),
    ]);
    clock = new ManualClock('2026-09-30T08:00:00Z');
    world = await startWorld({
      sites: 2,
      connect: 0,
      env: { SITEFLEET_PAGESPEED_URL: api.url, SMTP_URL: mails.url },
      overrides: { clock, tickMs: null },
    });
    for (const site of [FIXED_LATER, FOUND_LATER])
      await world.freshSite((each) => {
        removeItemsWithUpdates(each);
        if (site === FOUND_LATER) releaseUpdates(each, { plugins: [ALPHA, BETA] });
      });
    found = world.siteId(FOUND_LATER);
    await editEmails(world, 'report', { disable: 0 });
    await usePageSpeedApi(world, { strategy: 'mobile' });
    feed.content = wordfenceFeed({ slug: 'alpha', upTo: '5.3' });
    await useWordfenceFeed(world, feed);
    await setPluginVersion(world, FIXED_LATER, ALPHA, '5.3');
    await setPluginVersion(world, FOUND_LATER, ALPHA, '5.4');
    for (const site of [FIXED_LATER, FOUND_LATER]) await syncSites(world, world.siteId(site));
    await refreshFeeds(world);
    await audit('2026-10-20T08:00:00Z', 85);
    clock.set('2026-11-20T08:00:00Z');
    await setPluginVersion(world, FIXED_LATER, ALPHA, '5.4');
    await syncSites(world, world.siteId(FIXED_LATER));
    await audit('2026-11-24T08:00:00Z', 43);
    await setPluginVersion(world, FOUND_LATER, ALPHA, '5.3');
    await syncSites(world, found);
  });
  after(async () => {
    await world.close();
    for (const server of [mails, api, feed]) await server.close();
  });

  async function audit(at: string, score: number): Promise<void> {
    clock.set(at);
    api.nextReplies.push(scoreReply(score));
    await auditSites(world, [found]);
  }

  const pageOf = async (segments: string): Promise<string> =>
    (await world.agent().get(reportPath(`pro-reports/${found}`, { ...OCTOBER, segments, format: 'html' }))).text;

  it('when a vulnerability is found after the period, then only `open_now` counts it', async () => {
    const { items, counts, summary, made_at } = await readReport(world, found, 'vulnerable', OCTOBER);
    assert.deepEqual(
      { items, counts, openNow: summary['open_now'], made_at },
      {
        items: [],
        counts: { count: 0, plugins: 0, themes: 0, core: 0, open: 0, resolved: 0 },
        openNow: 1,
        made_at: '2026-11-24T08:00:00Z',
      },
    );
  });

  it('when a vulnerability is fixed after the period, then it is open at the end of the period', async () => {
    const site = world.siteId(FIXED_LATER);
    const october = await readReport(world, site, 'vulnerable', OCTOBER);
    const november = await readReport(world, site, 'vulnerable', NOVEMBER);
    const figures = [october, november].map(({ counts, summary }) => [
      counts['open'],
      counts['resolved'],
      summary['open_now'],
    ]);
    assert.deepEqual(figures, [
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  it('when the newest audit is after the period, then scores and measures are those of the period', async () => {
    const { items, counts, summary } = await readReport(world, found, 'perfaudit', OCTOBER);
    assert.deepEqual([summary['mobile_performance'], summary['last_check']], [85, '2026-10-20T08:00:00Z']);
    assert.deepEqual(counts, { audits: 1, measures: 0 });
    assert.deepEqual(
      items.map(({ kind, performance }) => [kind, performance]),
      [['audit', 85]],
    );
    const page = await pageOf('perfaudit');
    assert.match(page, /reach 85 of 100 points/);
    assert.doesNotMatch(page, /reach 43 of 100/);
  });

  it('when segments are about the last sync, then they have its time', async () => {
    for (const segment of ['pending', 'abandoned', 'website', 'misc'])
      assert.equal(
        (await readReport(world, found, segment, OCTOBER)).summary['last_sync'],
        '2026-11-24T08:00:00Z',
        segment,
      );
  });

  it('when a page is about a past month, then each value of today has its day', async () => {
    const page = await pageOf('pending,vulnerable,plugins');
    const lead = /<p class="lead">(.*?)<\/p>/.exec(page)?.[1];
    assert.equal(
      lead,
      'No updates were installed. As of November 24, 2026: 1 known vulnerability is open; 1 point needs your decision.',
    );
    const figures = [
      ...(/<ul class="figures[^>]*>(.*?)<\/ul>/.exec(page)?.[1] ?? '').matchAll(/<li class="\w+">(.*?)<\/li>/g),
    ].map(([, figure]) =>
      (figure ?? '')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    assert.deepEqual(figures, ['0 updates installed', '1 open vulnerability As of November 24, 2026']);
    assert.ok(
      page.includes(
        '<p dir="auto">As of November 24, 2026: 1 known vulnerability is open; 2 updates are waiting to be installed.</p>',
      ),
    );
  });

  it('when a mail is about a past month, then each value of today has its day', async () => {
    const segments = ['vulnerable', 'pending', 'plugins'];
    const schedule = await addReportSchedule(world, { site_id: found, segments });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual(report.summary, [
      'No updates were installed.',
      'As of November 24, 2026: 1 known vulnerability is open; 1 point needs your decision.',
    ]);
    await waitForMailState(world, report.mails[0].id, 'sent');
    const text = mails.received.at(-1)?.mail.text ?? '';
    assert.ok(text.includes(report.summary[1]));
    assert.doesNotMatch(text, /No known vulnerability/);
  });

  it('when an update is installed after the last sync, then the state is that of the update', async () => {
    clock.set('2026-11-25T00:10:00Z');
    const body = { slug: [BETA] };
    assert.equal((await world.request('POST', `/api/v2/updates/${found}/update/plugins`, { body })).status, 200);
    const { counts, summary } = await readReport(world, found, 'pending', OCTOBER);
    assert.deepEqual(
      [counts['total'], summary['last_sync'], summary['read_at']],
      [1, '2026-11-24T08:00:00Z', '2026-11-25T00:10:00Z'],
    );
    assert.match(await pageOf('pending'), /As of November 25, 2026: 1 update is waiting to be installed\./);
  });
});
