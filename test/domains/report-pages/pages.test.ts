import assert from 'node:assert/strict';
import {
  contrast,
  DARK_BACKGROUND,
  LIGHT_BACKGROUND,
  readableColorOn,
  textColorOn,
} from '../../../src/domains/report-pages/colors.ts';
import { buildClientPage, buildSegmentPage, buildSitePage } from '../../../src/domains/report-pages/build-page.ts';
import { fileNameOf } from '../../../src/domains/report-pages/file-name.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import { Formats } from '../../../src/domains/settings/index.ts';
import { DEFAULTS } from '../../../src/domains/settings/group-values.ts';
import { HOSTILE_TEXT, RIGHT_TO_LEFT, siteReport } from '../../support/report-samples.ts';

const formats = new Formats((group) => DEFAULTS[group]);
const AGENCY = { name: 'North Sea Web', color: '#0b5d4e', logo: '', footer: 'Harbour Street 4' };
const html = (report = siteReport(), agency = AGENCY): Promise<string> =>
  renderReportHtml(buildSitePage(report, formats), agency, formats);

/** Returns all tags of a page with their attributes. */
const tagsOf = (page: string): string[] => page.match(/<[a-z!/][^>]*>/gi) ?? [];

describe('report pages', () => {
  it('when a report is shown, then the page starts with a summary in sentences and figures', () => {
    const { lead, figures } = buildSitePage(siteReport(), formats);
    assert.deepEqual(lead, [
      '8 updates were installed.',
      'The site was online 99.983\u00a0% of the time, with 1 incident of 8\u00a0min in total.',
      'As of December 2, 2026: the certificate is valid for another 61 days.',
    ]);
    assert.deepEqual(
      figures.map(({ value, label, asOf }) => `${value} ${label}, ${asOf ?? 'period'}`),
      [
        '8 updates installed, period',
        '99.983\u00a0% online, period',
        '76 performance score (of 100), period',
        '61 days until the certificate expires, as of December 2, 2026',
      ],
    );
  });

  it('when sites were synced on different days, then the report on their client names both days', () => {
    const { range, madeAt } = siteReport();
    const sites = ['2026-11-20T08:00:00Z', '2026-12-02T02:00:00Z'].map((syncedAt) => {
      const report = siteReport();
      report.segments.push({
        ...{ segment: 'pending', source: 'site', items: [], total: 3, counts: { total: 3 } },
        summary: { last_sync: syncedAt },
      });
      return report;
    });
    const client = { id: 3, name: 'Harbour Group', email: '' };
    const page = buildClientPage({ client, range, madeAt, sites, totals: [] }, formats);
    assert.deepEqual(
      page.figures.flatMap(({ value, label, asOf }) => (asOf === null ? [] : `${value} ${label}, ${asOf}`)),
      ['6 updates available, as of November 20, 2026 – December 2, 2026'],
    );
    assert.equal(page.lead.at(-1), 'As of December 2, 2026: all certificates are valid for at least another 61 days.');
    assert.equal(
      page.overview?.note,
      'As of December 2, 2026: Certificate, days. As of November 20, 2026 – December 2, 2026: Waiting. ' +
        'All other figures are about the period.',
    );
  });

  it('when a monitor was checked after the period, then its state has the day of the check', () => {
    const report = siteReport();
    const uptime = report.segments.find(({ segment }) => segment === 'uptime');
    Object.assign(uptime?.summary ?? {}, { status: 'up', last_check: '2026-12-02T00:00:00Z' });
    const [site] = buildSitePage(report, formats).sites;
    const section = site?.sections.find(({ title }) => title === 'Availability');
    assert.deepEqual(section?.facts, [
      { label: 'Online in this period', value: '99.983\u00a0%' },
      { label: 'Downtime', value: '8\u00a0min' },
    ]);
    assert.deepEqual(section?.state, {
      ...{ asOf: 'As of December 2, 2026', counts: [], table: null },
      facts: [
        { label: 'State', value: 'Up' },
        { label: 'Last check', value: 'December 2, 2026 12:00 am' },
      ],
    });
  });

  it('when a site does not log all changes of a segment, then its section says so', async () => {
    const report = siteReport();
    const noteOf = (title: string) => {
      const [site] = buildSitePage(report, formats).sites;
      return site?.sections.find((section) => section.title === title)?.note;
    };
    assert.equal(
      noteOf('Posts'),
      'The site does not log all posts that apps and other programs add. Others are found at the next sync, so ' +
        'private ones, ones that were deleted before it, and more than 30 at once can be missing.',
    );
    assert.equal(noteOf('Plugins'), null);
    assert.match(await html(report), /Posts<\/h2>\s*<p class="note">The site does not log all posts/);
    const counts = { created: 0, approved: 0 };
    const segment = { segment: 'comments', source: 'change-log', items: [], total: 0, counts, summary: {} } as const;
    const { site, range, madeAt } = report;
    const page = buildSegmentPage({ site, range, madeAt, segment: { ...segment, items: [] } }, formats);
    assert.deepEqual(
      page.sites[0]?.sections.map(({ title, note }) => [title, note]),
      [
        [
          'Comments',
          'The site does not log new comments of visitors without an account. They are found at the next sync, so ' +
            'spam, deleted ones, and more than five at once can be missing.',
        ],
      ],
    );
  });

  it('when segments have no data, then they are omitted, and failed segments are named', () => {
    const { sites } = buildSitePage(siteReport(), formats);
    const [{ sections, missing }] = sites as [(typeof sites)[number]];
    assert.deepEqual(
      sections.map(({ title }) => title),
      ['Plugins', 'Themes', 'Availability', 'Certificate', 'Performance', 'Posts'],
    );
    assert.deepEqual(missing, ['Backups: The site did not answer.']);
  });

  it('when there are days, audits, updates and changes, then each has its chart without script or style', async () => {
    const { charts } = buildSitePage(siteReport(), formats);
    assert.deepEqual(
      charts.map(({ title }) => title),
      ['Online by day', 'Response time by day', 'Updates by kind', 'Performance scores', 'Changes by day'],
    );
    const page = await html();
    assert.equal(page.match(/<svg /g)?.length, 2 * charts.length, 'one for wide screens and paper, one for phones');
    for (const tag of tagsOf(page))
      assert.doesNotMatch(tag, /^<(script|image|use|foreignObject|a|link|iframe)\b|\son\w+=/i);
    assert.equal(page.match(/<style/g)?.length, 1);
    assert.doesNotMatch(page.replaceAll('http://www.w3.org/2000/svg', ''), /(?:src|href|url\()\s*=?\s*["']?https?:/);
  });

  it('when a segment shows only its newest items, then the chart starts where all items are known', () => {
    const report = siteReport({ rows: 12 });
    const [plugins] = report.segments;
    Object.assign(plugins ?? {}, { items: plugins?.items.slice(0, 6) });
    const chart = buildSitePage(report, formats).charts.find(({ title }) => title === 'Changes by day');
    assert.equal(chart?.labels[0], 'Nov 19');
    assert.deepEqual(buildSitePage(report, formats).sites[0]?.sections[0]?.table?.more, 6);
  });

  it('when the range is a year, then the charts show weeks instead of days', () => {
    const report = siteReport();
    const uptime = report.segments.find(({ segment }) => segment === 'uptime');
    const days = Array.from({ length: 365 }, (_, index) => ({
      ...{ kind: 'day', day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10) },
      ...{ uptime_percentage: 100, watched_minutes: 1440, response_avg: 200 },
    }));
    Object.assign(uptime ?? {}, { items: days });
    const [online] = buildSitePage(report, formats).charts;
    assert.deepEqual([online?.title, online?.labels.length], ['Online by week', 53]);
  });

  it('when names contain markup, then they are escaped and cut', async () => {
    const report = siteReport({ name: HOSTILE_TEXT, plugin: HOSTILE_TEXT, post: HOSTILE_TEXT });
    const page = await html(report, { ...AGENCY, name: HOSTILE_TEXT, footer: `${HOSTILE_TEXT}</style><script>` });
    const client = { id: 3, name: HOSTILE_TEXT, email: 'a@b.example' };
    const { range, madeAt } = report;
    const ofClient = buildClientPage({ client, range, madeAt, sites: [report, report], totals: [] }, formats);
    for (const each of [page, await renderReportHtml(ofClient, { ...AGENCY, name: HOSTILE_TEXT }, formats)]) {
      for (const tag of tagsOf(each)) assert.doesNotMatch(tag, /^<(script|img)\b|\sonerror=/i);
      assert.ok(each.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
      assert.doesNotMatch(each, /[\0\u202e]/);
      assert.doesNotMatch(each, /W{401}/);
      assert.equal(each.match(/<\/style>/g)?.length, 1);
    }
  });

  it('when a title is right-to-left, then its cell has dir="auto"', async () => {
    const page = await html(siteReport({ post: RIGHT_TO_LEFT }));
    assert.ok(page.includes(`<td dir="auto" data-label="Post"><span>${RIGHT_TO_LEFT}</span></td>`));
  });

  it('when there are 300 rows, then one table has all of them and repeats its head on paper', async () => {
    const page = await html(siteReport({ rows: 300 }));
    assert.equal(page.match(/>Plugin \d+</g)?.length, 300);
    assert.match(page, /thead \{ display: table-header-group; \}/);
  });

  it('when a client has too many rows for one page, then tables are cut and say so', () => {
    const report = siteReport({ rows: 1000 });
    const sites = Array.from({ length: 100 }, () => report);
    const { range, madeAt } = report;
    const page = buildClientPage(
      { client: { id: 3, name: 'Harbour Group', email: '' }, range, madeAt, sites, totals: [] },
      formats,
    );
    const tables = page.sites.flatMap(({ sections }) => sections.flatMap(({ table }) => table ?? []));
    assert.ok(tables.reduce((sum, { rows }) => sum + rows.length, 0) <= 20_000);
    assert.equal(tables[0]?.more, 1000 - (tables[0]?.rows.length ?? 0));
    assert.equal(page.overview?.rows.length, 100);
  });

  it('when an agency chooses any color, then the contrast of texts is sufficient in light and dark mode', () => {
    for (const color of ['#000000', '#ffffff', '#ffff00', '#ff0000', '#00ff00', '#0000ff', '#808080', '#1f4e79']) {
      assert.ok(contrast(textColorOn(color), color) >= 4, `${color}: ${contrast(textColorOn(color), color)}`);
      assert.ok(contrast(readableColorOn(color, LIGHT_BACKGROUND), LIGHT_BACKGROUND) >= 4.5, `${color} by day`);
      assert.ok(contrast(readableColorOn(color, DARK_BACKGROUND), DARK_BACKGROUND) >= 4.5, `${color} by night`);
    }
    assert.equal(readableColorOn('#0b5d4e', LIGHT_BACKGROUND), '#0b5d4e', 'what can be read stays as it is');
  });

  it('when a site has any name, then the file name is valid on every system', () => {
    const { range } = siteReport();
    const name = (site: string): string => fileNameOf(range, site);
    assert.equal(name('Café am Markt'), 'report-cafe-am-markt-2026-11-01-2026-11-30');
    for (const site of [HOSTILE_TEXT, '../../etc/passwd', 'a"b\r\nc', 'CON', '', 'مخبز'])
      assert.match(name(site), /^report(-[a-z0-9]+)*-2026-11-01-2026-11-30$/);
  });
});
