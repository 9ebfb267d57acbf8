import assert from 'node:assert/strict';
import {
  contrast,
  DARK_BACKGROUND,
  LIGHT_BACKGROUND,
  readableColorOn,
  textColorOn,
} from '../../../src/shared/color-contrast.ts';
import { buildClientPage, buildSegmentPage, buildSitePage } from '../../../src/domains/report-pages/build-page.ts';
import { displayNamesOf } from '../../../src/domains/report-pages/display-names.ts';
import { fileNameOf } from '../../../src/domains/report-pages/file-name.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import type { BodySection, ReportPageContent } from '../../../src/domains/report-pages/page-content.ts';
import { ReportFormats } from '../../../src/domains/report-pages/report-formats.ts';
import { timeZoneOf, type TimeZone } from '../../../src/domains/settings/index.ts';
import { languageOf } from '../../../src/languages/index.ts';
import { HOSTILE_TEXT, RIGHT_TO_LEFT, siteReport } from '../../support/report-samples.ts';
import {
  BAKERY,
  clientOfStory,
  comparisonOf,
  formatsIn,
  presentationOf,
  SHOP,
  siteOfStory,
  sitesOfStory,
  templateWith,
} from '../../support/report-stories.ts';

const formats = formatsIn('en', timeZoneOf('UTC') as TimeZone);
const COLOR = '#0b5d4e';
const AGENCY = { name: 'North Sea Web', color: COLOR, accentColor: COLOR, logo: '', footer: 'Harbour Street 4' };
const UPDATES = presentationOf('en', templateWith({ appendix: ['updates', 'content'] }));
const pageOf = (report = siteReport(), presentation = presentationOf()): ReportPageContent =>
  buildSitePage(report, presentation, null, formats);
const html = (report = siteReport(), agency = AGENCY, presentation = UPDATES): Promise<string> =>
  renderReportHtml(pageOf(report, presentation), agency, formats);
const bodiesOf = ({ sections }: Pick<ReportPageContent, 'sections'>): BodySection[] =>
  sections.filter((section) => typeof section !== 'string');
const sectionOf = (page: Pick<ReportPageContent, 'sections'>, title: string): BodySection | undefined =>
  bodiesOf(page).find((section) => section.title === title);

/** Returns all tags of a page with their attributes. */
const tagsOf = (page: string): string[] => page.match(/<[a-z!/][^>]*>/gi) ?? [];

describe('report pages', () => {
  it('when a report is shown, then three sentences say what mattered, and figures have the month before', () => {
    const report = siteOfStory(SHOP);
    const { lead, figures } = buildSitePage(report, presentationOf(), comparisonOf([report]), formatsIn());
    // 95, 22 and 7 of 43,200 minutes are 0.287 %.
    assert.deepEqual(lead, [
      '32 updates were installed, 16 changes were made to posts and pages, and we worked 2\u00a0hours 20\u00a0minutes for you.',
      'The site was online 99.71% of the time; it was down 3 times, for 2\u00a0hours 4\u00a0minutes in total.',
      'As of December 1, 2026: 1 known vulnerability is open; the security certificate is valid for 9 more days; 6 points need your decision.',
    ]);
    assert.deepEqual(
      figures.map(({ value, label, asOf, before }) => [value, label, asOf, before]),
      [
        ['32', 'updates installed', null, 'October 2026: 6'],
        ['99.71%', 'online', null, 'October 2026: 100%'],
        ['2\u00a0hr 20\u00a0min', 'of work', null, 'October 2026: 2\u00a0hr 20\u00a0min'],
        ['1', 'open vulnerability', 'As of December 1, 2026', 'End of October 2026: 1'],
      ],
    );
  });

  it('when a report is in German, then it has the same sentences in German', () => {
    const report = siteOfStory(SHOP);
    const { lead, cover } = buildSitePage(report, presentationOf('de'), null, formatsIn('de'));
    assert.deepEqual(lead, [
      '32 Updates wurden installiert, 16 Änderungen wurden an Beiträgen und Seiten vorgenommen und wir haben 2\u00a0Stunden 20\u00a0Minuten für Sie gearbeitet.',
      'Die Website war zu 99,71\u00a0% der Zeit online; sie fiel 3-mal aus, für insgesamt 2\u00a0Stunden 4\u00a0Minuten.',
      'Stand 1. Dezember 2026: 1 bekannte Sicherheitslücke offen; Sicherheitszertifikat noch 9 Tage gültig; 6 Entscheidungen nötig.',
    ]);
    assert.equal(cover.createdOn, 'Erstellt am 1. Dezember 2026 um 08:00');
  });

  it('when a site needs decisions, then the recommendations name each with its day', () => {
    const section = sectionOf(
      buildSitePage(siteOfStory(SHOP), presentationOf(), null, formatsIn()),
      'What we recommend',
    );
    assert.deepEqual(
      section?.lists.map(({ title, items }) => [title, items.map(({ text }) => text)]),
      [
        [
          'As of December 1, 2026',
          [
            'Update Photo Slider to version 2.1.4 or later: the installed version has a known vulnerability.',
            'Renew the security certificate: it expires in 9 days. Usually, the hosting provider does this; we contact the provider if you want.',
            'Switch to a newer version of PHP: version 7.4 has received no security updates since November 28, 2022.',
            'Replace Old Gallery 1: there has been no release since August 7, 2020.',
            'Replace Old Gallery 2: there has been no release since August 7, 2020.',
            'Make the pages faster, for example with smaller images and fewer scripts: with 43 of 100 points at the last test of the period, visitors wait noticeably.',
          ],
        ],
      ],
    );
  });

  it('when all sites of a client were added on one day, then the page names the day', async () => {
    const sites = sitesOfStory(3);
    for (const report of sites) report.site.knownSince = Date.parse('2026-11-14T10:00:00Z');
    const page = await buildClientPage(clientOfStory('Harbour', sites), presentationOf(), null, formatsIn());
    assert.deepEqual(page.notes, ['These sites were added on November 14, 2026, so their figures begin then.']);
    for (const report of sites) report.site.knownSince = Date.parse('2026-12-14T10:00:00Z');
    const later = await buildClientPage(clientOfStory('Harbour', sites), presentationOf(), null, formatsIn());
    assert.deepEqual(later.notes, [
      '3 of these sites were added during or after this period, so their figures begin later.',
    ]);
  });

  it('when nothing needs a decision, then the report says so, unless too little is known', () => {
    const page = buildSitePage(siteOfStory(BAKERY), presentationOf(), null, formatsIn());
    assert.deepEqual(sectionOf(page, 'What we recommend')?.paragraphs, [
      'As of December 1, 2026: nothing needs your decision.',
    ]);
    for (const missing of ['vulnerable', 'website', 'abandoned']) {
      const unknown = siteOfStory(BAKERY);
      unknown.segments = unknown.segments.filter(({ segment }) => segment !== missing);
      const content = buildSitePage(unknown, presentationOf(), null, formatsIn());
      assert.equal(sectionOf(content, 'What we recommend'), undefined, missing);
      assert.doesNotMatch(content.lead.join(' '), /nothing needs/);
    }
  });

  it('when the period before was not completely known or the period is not over, then nothing is compared', () => {
    const report = siteOfStory(BAKERY);
    const before = comparisonOf([report]);
    assert.equal(before?.key.updates, 6);
    assert.equal(comparisonOf([{ ...report, site: { ...report.site, knownSince: report.range.from - 1 } }]), null);
    assert.equal(comparisonOf([{ ...report, madeAt: report.range.until - 1 }]), null);
  });

  it('when a list is long, then it is summed up, and several updates of a plugin are one line', () => {
    const section = sectionOf(buildSitePage(siteOfStory(SHOP), presentationOf(), null, formatsIn()), 'What was done');
    const [updates] = section?.lists ?? [];
    assert.equal(updates?.sentence, '32 updates were installed: 31 for plugins and 1 for WordPress.');
    assert.deepEqual(updates?.items[0], { text: 'WooCommerce', detail: '9.4.1 → 9.4.3.2 (3 updates)', tone: null });
    // The eight lines have 3 + 3 + 3 + 3 + 3 + 3 + 3 + 2 updates.
    assert.deepEqual([updates?.items.length, updates?.more], [8, 'and 9 more']);
  });

  it('when a site was online all the time, then a sentence says so and there is no chart', () => {
    const calm = sectionOf(buildSitePage(siteOfStory(BAKERY), presentationOf(), null, formatsIn()), 'Availability');
    assert.deepEqual([calm?.paragraphs, calm?.chart], [['There was no outage.'], null]);
    const page = buildSitePage(siteOfStory(SHOP), presentationOf(), null, formatsIn());
    assert.deepEqual(
      bodiesOf(page).map(({ title, chart }) => [title, chart?.title ?? null]),
      [
        ['What was done', null],
        ['Availability', 'Availability per day'],
        ['Speed', null],
        ['Security', null],
        ['What we recommend', null],
      ],
    );
    assert.deepEqual(
      sectionOf(page, 'Availability')?.lists[0]?.items.map(({ text }) => text),
      [
        'November 9, 2026 at 3:00 AM, for 1\u00a0hour 35\u00a0minutes',
        'November 18, 2026 at 8:00 PM, for 22\u00a0minutes',
        'November 24, 2026 at 8:00 AM, for 7\u00a0minutes',
      ],
    );
  });

  it('when a template names sections and texts, then the page has only these, in this order', () => {
    const template = templateWith({
      ...{ sections: ['security', 'summary'], greeting: 'Dear [client.name],', intro: 'About [site.name], [period].' },
      closing: 'Yours\n[agency.name]',
    });
    const presentation = presentationOf('en', template, { texts: ['Your shop opens in March.'] });
    const page = buildSitePage(siteOfStory(BAKERY), presentation, null, formatsIn());
    assert.deepEqual(
      page.sections.map((each) => (typeof each === 'string' ? each : each.title)),
      ['Security', 'summary'],
    );
    assert.deepEqual(page.opening, [
      'Dear Maria Brandt,',
      'About Corner Bakery, November 2026.',
      'Your shop opens in March.',
    ]);
    assert.deepEqual(page.closing, ['Yours', 'North Sea Web']);
    const nobody = presentationOf('en', template, { clientName: '[agency.name]' });
    assert.equal(buildSitePage(siteOfStory(), nobody, null, formatsIn()).opening[0], 'Dear [agency.name],');
    const noClient = presentationOf('en', template, { clientName: '' });
    assert.equal(
      buildSitePage(siteOfStory(), noClient, null, formatsIn()).opening[0],
      'About Corner Bakery, November 2026.',
    );
  });

  it('when an agency reports, then no page has names of products, logins, server addresses or fields', async () => {
    const topics = [
      'updates',
      'content',
      'availability',
      'speed',
      'security',
      'monitoring',
      'work',
      'inventory',
    ] as const;
    for (const language of ['en', 'de']) {
      const presentation = presentationOf(language, templateWith({ appendix: [...topics, 'pending'] }));
      const sites = sitesOfStory(3);
      const page = await buildClientPage(
        clientOfStory('Harbour Group', sites),
        presentation,
        null,
        formatsIn(language),
      );
      const text = await renderReportHtml(page, AGENCY, formatsIn(language));
      assert.match(text, /WooCommerce/);
      assert.doesNotMatch(text, /mainwp|sitefleet|tom_admin|10\.0\.0\.7|[a-z]_version|Php version/i);
    }
    const names = new ReportFormats(
      languageOf('en'),
      timeZoneOf('UTC') as TimeZone,
      new Map([['tom_admin', 'Tom Adams']]),
    );
    const shown = buildSitePage(siteOfStory(), UPDATES, null, names);
    assert.match(await renderReportHtml(shown, AGENCY, names), /data-label="By"><span>Tom Adams</);
  });

  it('when a client has sites, then the page has an overview and the sites in the order of their names', async () => {
    const sites = sitesOfStory(9);
    const page = await buildClientPage(
      clientOfStory('Harbour Group', sites),
      presentationOf(),
      comparisonOf(sites),
      formatsIn(),
    );
    const names = page.sites.map(({ name }) => name);
    assert.deepEqual(names, [
      ...['Booking', 'Event Rooms', 'Harbour Café', 'Harbour Hotel', 'Intranet', 'Jobs', 'Magazine'],
      ...['Spa & Wellness', 'Wine Shop'],
    ]);
    assert.deepEqual(
      page.overview?.rows.map(([first]) => first?.text),
      names,
    );
    const ordered = presentationOf('en', templateWith({}), { siteOrder: [8, 77, 1] });
    const other = await buildClientPage(clientOfStory('Harbour Group', sites), ordered, null, formatsIn());
    assert.deepEqual(
      other.sites.slice(0, 4).map(({ name }) => name),
      ['Wine Shop', 'Harbour Hotel', 'Booking', 'Event Rooms'],
    );
    assert.deepEqual(
      page.lead.map((sentence) => sentence.slice(0, 60)),
      [
        'On 9 sites, 97 updates were installed, 45 changes were made to posts',
        'While they were watched, the sites were online 99.988% of th',
        'As of December 1, 2026: 2 known vulnerabilities are open; al',
      ].map((sentence) => sentence.slice(0, 60)),
    );
    assert.ok(
      page.figures.every(({ before }) => before === null),
      'a site was connected in the middle of the month',
    );
  });

  for (const [score, english, german] of [
    [
      49,
      /Pages with less than 50 points are slow: .* We recommend/,
      /weniger als 50 Punkten sind langsam: .* Wir empfehlen/,
    ],
    [50, /Pages with 50 to 89 points could be faster\./, /50 bis 89 Punkten könnten schneller sein\./],
    [90, /Pages are fast from 90 points\./, /Ab 90 Punkten sind Seiten schnell\./],
  ] as const)
    it(`when the performance score is ${score}, then the report says in words what it means`, () => {
      for (const [language, title, words] of [
        ['en', 'Speed', english],
        ['de', 'Geschwindigkeit', german],
      ] as const) {
        const page = buildSitePage(siteOfStory({ score }), presentationOf(language), null, formatsIn(language));
        assert.match(sectionOf(page, title)?.paragraphs.join(' ') ?? '', words);
      }
    });

  for (const [days, place] of [
    [-3, 'recommendation'],
    [14, 'recommendation'],
    [15, 'note'],
    [30, 'note'],
    [31, null],
  ] as const)
    it(`when a certificate is valid for ${days} more days, then the report says who renews it: ${place}`, async () => {
      const report = siteOfStory({ certificateDays: days });
      const site = pageOf(report, presentationOf());
      const client = await buildClientPage(clientOfStory('Miller', [report]), presentationOf(), null, formatsIn());
      for (const page of [site, client]) {
        const [item] = sectionOf(page, 'What we recommend')?.lists[0]?.items ?? [];
        const isRecommended = /Usually, the hosting provider does this; we contact/.test(item?.text ?? '');
        assert.equal(isRecommended, place === 'recommendation');
      }
      const note = 'Usually, the hosting provider renews a certificate automatically before it expires.';
      assert.equal(sectionOf(site, 'Security')?.paragraphs.includes(note), place === 'note');
      assert.equal(client.overview?.note?.includes(note), place === 'note');
    });

  for (const [certificate, english, german] of [
    ['mismatch', 'Replace the security certificate: browsers warn', 'Sicherheitszertifikat ersetzen: Browser warnen'],
    ['untrusted', 'Replace the security certificate: browsers warn', 'Sicherheitszertifikat ersetzen: Browser warnen'],
    [
      'not_yet_valid',
      'Replace the security certificate: it is not',
      'Sicherheitszertifikat ersetzen: Es ist noch nicht',
    ],
    ['no_tls', 'Set up a security certificate: browsers', 'Sicherheitszertifikat einrichten: Browser'],
    ['unreachable', null, null],
  ] as const)
    it(`when the state of a certificate is ${certificate}, then no sentence calls it valid`, async () => {
      const report = siteOfStory({ certificate, certificateDays: 20 });
      const sites = [report, siteOfStory({ id: 2, name: 'Wine Shop' })];
      for (const [language, recommended] of [
        ['en', english],
        ['de', german],
      ] as const) {
        const site = buildSitePage(report, presentationOf(language), null, formatsIn(language));
        const client = await buildClientPage(
          clientOfStory('Miller', [report]),
          presentationOf(language),
          null,
          formatsIn(language),
        );
        for (const page of [site, client]) {
          const texts = JSON.stringify([page.lead, page.sections, page.overview, page.sites]);
          assert.doesNotMatch(texts, /certificate (is valid|expires)|automatically before|zertifikat (bis|noch)/);
          if (recommended) assert.ok(texts.includes(recommended), recommended);
          else assert.doesNotMatch(texts, /certificate:|zertifikat \w+:/);
        }
      }
      const client = await buildClientPage(clientOfStory('Miller', sites), presentationOf(), null, formatsIn());
      assert.doesNotMatch(client.lead.join(' '), /all security certificates/);
    });

  it('when sites were down, then the overview has the days, and no column if none was down', async () => {
    const down = siteOfStory({
      ...{ id: 2, name: 'Often down' },
      outages: [3, 4, 5, 9, 14, 20, 28].map((day) => [day, 5, 30] as const),
    });
    const overview = async (sites: ReturnType<typeof sitesOfStory>, language = 'en') =>
      (await buildClientPage(clientOfStory('Miller', sites), presentationOf(language), null, formatsIn(language)))
        .overview;
    const column = async (
      sites: ReturnType<typeof sitesOfStory>,
      label: string,
      language = 'en',
    ): Promise<string[] | undefined> => {
      const table = await overview(sites, language);
      const at = table?.columns.findIndex((each) => each.label === label) ?? -1;
      return at === -1
        ? undefined
        : table?.rows.map((row) => (row[at]?.text ?? '').replaceAll('\u2060', '').replace(/\s/g, ' '));
    };
    const up = siteOfStory({ id: 1, name: 'Always up' });
    assert.deepEqual(await column([up, down], 'Outages'), ['', 'Nov 3 – 5, Nov 9, Nov 14, and 2 more']);
    assert.deepEqual(await column([up, down], 'Ausfälle', 'de'), [
      '',
      '3.–5. Nov., 9. Nov., 14. Nov. und 2 weitere Einträge',
    ]);
    assert.equal(await column([up], 'Outages'), undefined);
  });

  it('when a list of recommendations about several sites is cut, then the most urgent ones are in it', async () => {
    const sites = [
      siteOfStory({ id: 1, name: 'Archive', abandoned: 9 }),
      siteOfStory({ id: 2, name: 'Booking', php: '7.4.33', certificateDays: 5 }),
      siteOfStory({ id: 3, name: 'Wine Shop', vulnerability: true }),
    ];
    const page = await buildClientPage(clientOfStory('Harbour Group', sites), presentationOf(), null, formatsIn());
    const [list] = sectionOf(page, 'What we recommend')?.lists ?? [];
    assert.deepEqual(
      list?.items.map(({ text }) => text.slice(0, 28)),
      [
        'Wine Shop – Update Photo Sli',
        'Booking – Renew the security',
        'Booking – Switch to a newer ',
        ...Array.from({ length: 5 }, () => 'Archive – Replace Old Galler'),
      ],
    );
    assert.equal(list?.more, 'and 4 more');
  });

  it('when the data lists only some abandoned plugins, then all of them count as decisions', async () => {
    const report = siteOfStory({ abandoned: 3 });
    const abandoned = report.segments.find(({ segment }) => segment === 'abandoned');
    assert.ok(abandoned);
    abandoned.total = 12;
    const client = await buildClientPage(
      clientOfStory('Miller', [report, siteOfStory({ id: 2, abandoned: 1 })]),
      presentationOf(),
      null,
      formatsIn(),
    );
    for (const [page, count] of [
      [pageOf(report, presentationOf()), 12],
      [client, 13],
    ] as const) {
      const section = sectionOf(page, 'What we recommend');
      const [list] = section?.lists ?? [];
      assert.match(page.lead.join(' '), new RegExp(`; ${count} points need your decision`));
      assert.equal(list?.more, `and ${count - (list?.items.length ?? 0)} more`);
    }
    const at = client.overview?.columns.findIndex(({ label }) => label === 'To decide') ?? -1;
    assert.deepEqual(
      client.overview?.rows.map((row) => row[at]?.text),
      ['12', '1'],
    );
  });

  it('when an outage was not watched to its end, then its duration is the least or unknown', () => {
    const times = (from: string, until: string, watched: number, down: number | null) => ({
      ...{ kind: 'incident', started_at: `2026-11-${from}:00Z`, ended_at: `2026-11-${until}:00Z` },
      ...{ watched_minutes: watched, downtime_minutes: down },
    });
    for (const [language, title, expected] of [
      ['en', 'Availability', ['for 18 minutes', 'for 6 minutes', 'for at least 7 minutes', 'for an unknown time']],
      [
        'de',
        'Verfügbarkeit',
        ['Dauer: 18 Minuten', 'Dauer: 6 Minuten', 'Dauer: mindestens 7 Minuten', 'Dauer unbekannt'],
      ],
    ] as const) {
      const report = siteOfStory({ outages: [[9, 3, 18]] });
      const uptime = report.segments.find(({ segment }) => segment === 'uptime');
      uptime?.items.push(
        // An update of the service ran for four minutes.
        times('10T08:00', '10T08:10', 10, 6),
        times('16T09:12', '16T12:20', 7, 7),
        times('17T09:00', '17T10:00', 0, null),
      );
      const page = buildSitePage(report, presentationOf(language), null, formatsIn(language));
      const outages = sectionOf(page, title)?.lists[0]?.items.map(({ text }) => text.replace(/^.*, /, ''));
      assert.deepEqual(
        outages?.map((text) => text.replaceAll('\u00a0', ' ')),
        expected,
      );
    }
  });

  it('when all open vulnerabilities were found after the period, then their number is told without a list', () => {
    for (const [language, security, recommended, text] of [
      ['en', 'Security', 'What we recommend', 'Close 2 known vulnerabilities.'],
      ['de', 'Sicherheit', 'Was wir empfehlen', '2 bekannte Sicherheitslücken schließen.'],
    ] as const) {
      const report = siteOfStory({});
      const vulnerable = report.segments.find(({ segment }) => segment === 'vulnerable');
      assert.ok(vulnerable);
      vulnerable.summary['open_now'] = 2;
      const page = buildSitePage(report, presentationOf(language), null, formatsIn(language));
      assert.deepEqual(sectionOf(page, security)?.lists, []);
      assert.deepEqual(
        sectionOf(page, recommended)?.lists[0]?.items.map((item) => item.text),
        [text],
      );
    }
  });

  it('when WordPress has a vulnerability without a fix, then the report does not recommend to replace WordPress', () => {
    const report = siteOfStory({ vulnerability: true });
    const vulnerable = report.segments.find(({ segment }) => segment === 'vulnerable');
    vulnerable?.items.push({ kind: 'core', name: 'WordPress', slug: '', fixed_in: null, resolved_at: null });
    assert.ok(vulnerable);
    vulnerable.summary['open_now'] = 2;
    const page = buildSitePage(report, presentationOf(), null, formatsIn());
    assert.deepEqual(
      sectionOf(page, 'What we recommend')?.lists[0]?.items.map(({ text }) => text),
      [
        'Update Photo Slider to version 2.1.4 or later: the installed version has a known vulnerability.',
        'Close 1 further known vulnerability.',
      ],
    );
  });

  it('when a client has one site, then its availability is told as that of a site', async () => {
    const sites = [siteOfStory(SHOP)];
    const page = await buildClientPage(clientOfStory('Miller', sites), presentationOf(), null, formatsIn());
    assert.deepEqual(page.lead.slice(0, 2), [
      'On 1 site, 32 updates were installed, 16 changes were made to posts and pages, and we worked 2\u00a0hours 20\u00a0minutes for you.',
      'The site was online 99.71% of the time; it was down 3 times, for 2\u00a0hours 4\u00a0minutes in total.',
    ]);
  });

  it('when the settings name staff, then only people with a display name are named', () => {
    const names = ['tom_admin=Tom Adams', 'ann = Ann = Miller'];
    assert.deepEqual([...displayNamesOf({ show_staff_names: 0, staff_names: names })], []);
    assert.deepEqual(
      [...displayNamesOf({ show_staff_names: 1, staff_names: names })],
      [
        ['tom_admin', 'Tom Adams'],
        ['ann', 'Ann = Miller'],
      ],
    );
  });

  it('when sites were synced on different days, then the report on their client names both days', async () => {
    const { range, madeAt } = siteReport();
    const sites = ['2026-11-20T08:00:00Z', '2026-12-02T02:00:00Z'].map((syncedAt) => {
      const report = siteReport();
      report.segments.push({
        ...{ segment: 'abandoned', source: 'site', total: 1, counts: {}, summary: { read_at: syncedAt } },
        items: [{ name: 'Old Gallery', slug: 'old', last_updated: '2020-08-07' }],
      });
      return report;
    });
    const client = { id: 3, name: 'Harbour Group', email: '' };
    const page = await buildClientPage({ client, range, madeAt, sites, totals: [] }, presentationOf(), null, formats);
    assert.equal(
      page.overview?.note,
      'As of December 2, 2026: Certificate, days left. As of November 20, 2026 – December 2, 2026: To decide. ' +
        'All other figures are about the period.',
    );
    assert.deepEqual(
      sectionOf(page, 'What we recommend')?.lists.map(({ title }) => title),
      ['As of November 20, 2026', 'As of December 2, 2026'],
    );
  });

  it('when a monitor was checked after the period, then its state has the day of the check', () => {
    const report = siteReport();
    const uptime = report.segments.find(({ segment }) => segment === 'uptime');
    Object.assign(uptime?.summary ?? {}, { status: 'up', last_check: '2026-12-02T00:00:00Z' });
    const [site] = pageOf(report, presentationOf('en', templateWith({ appendix: ['availability'] }))).appendix;
    const topic = site?.topics.find(({ title }) => title === 'Availability');
    assert.deepEqual(topic?.facts, [
      { label: 'Online in this period', value: '99.983%' },
      { label: 'Downtime', value: '8\u00a0min' },
    ]);
    assert.deepEqual(topic?.state, {
      ...{ asOf: 'As of December 2, 2026', counts: [], table: null },
      facts: [
        { label: 'State', value: 'Up' },
        { label: 'Last check', value: 'December 2, 2026 at 12:00 AM' },
      ],
    });
  });

  it('when a site does not log all changes of a segment, then its topic says so', async () => {
    const report = siteReport();
    const noteOf = (title: string) =>
      pageOf(report, UPDATES).appendix[0]?.topics.find((each) => each.title === title)?.note;
    assert.equal(
      noteOf('Posts'),
      'The site does not log all posts that apps and other programs add. Others are found at the next sync. ' +
        'Private posts and posts deleted before the sync can be missing, and some of them if more than 30 were added at ' +
        'once.',
    );
    assert.equal(noteOf('Plugins'), null);
    assert.match(await html(report), /Posts<\/h3>\s*<p class="note">The site does not log all posts/);
    const counts = { created: 0, approved: 0 };
    const segment = { segment: 'comments', source: 'change-log', items: [], total: 0, counts, summary: {} } as const;
    const { site, range, madeAt } = report;
    const page = buildSegmentPage(
      { site, range, madeAt, segment: { ...segment, items: [] } },
      presentationOf(),
      formats,
    );
    assert.deepEqual(
      page.appendix[0]?.topics.map(({ title, note }) => [title, note]),
      [
        [
          'Comments',
          'The site does not log new comments of visitors without an account. They are found at the next sync. ' +
            'Spam and comments deleted before the sync can be missing, and some of them if more than five were added at ' +
            'once.',
        ],
      ],
    );
  });

  it('when segments have no data, then they are omitted, and failed segments are named', () => {
    const topics = ['updates', 'content', 'monitoring', 'security', 'speed'] as const;
    const page = pageOf(siteReport(), presentationOf('en', templateWith({ appendix: topics })));
    assert.deepEqual(
      page.appendix[0]?.topics.map(({ title }) => title),
      ['Plugins', 'Themes', 'Posts', 'Certificate', 'Performance'],
    );
    assert.equal(
      page.missing,
      'This report does not include the following data, because it could not be loaded: Backups.',
    );
  });

  it('when a vulnerability is in the appendix, then it has the times of its steps that are known', () => {
    const presentation = presentationOf('en', templateWith({ appendix: ['security'] }));
    const table = pageOf(siteOfStory({ vulnerability: true }), presentation).appendix[0]?.topics[0]?.table;
    const [row = []] = table?.rows ?? [];
    assert.deepEqual(
      table?.columns.map(({ label }, at) => [label, row[at]?.text.replaceAll(/[\u00a0\u202f]/g, ' ')]).slice(3),
      [
        ['Severity', 'High'],
        ['Made public', 'November 25, 2026'],
        ['Known since', 'November 26, 2026 at 8:00 AM'],
        ['Update offered', 'November 27, 2026 at 8:00 AM'],
        ['Fixed in', '2.1.4'],
      ],
    );
  });

  it('when a caller names segments that no section shows, then the appendix has them', () => {
    const report = siteReport();
    const named = presentationOf('en', templateWith({}), { namedSegments: ['plugins', 'menus', 'users'] });
    report.segments.push({
      ...{ segment: 'users', source: 'change-log', total: 1, counts: { created: 1 }, summary: {} },
      items: [{ name: 'dora', role: 'editor', action: 'created', date: '2026-11-03T00:00:00Z', author: 'tom' }],
    });
    assert.deepEqual(
      pageOf(report, named).appendix[0]?.topics.map(({ title }) => title),
      ['Users'],
    );
  });

  it('when there are charts, then they have no script or style', async () => {
    const page = await html();
    const charts = bodiesOf(pageOf()).filter(({ chart }) => chart !== null).length;
    assert.equal(charts, 2, 'availability and scores');
    assert.equal(page.match(/<svg /g)?.length, 2 * charts, 'one for wide screens and paper, one for phones');
    for (const tag of tagsOf(page))
      assert.doesNotMatch(tag, /^<(script|image|use|foreignObject|a|link|iframe)\b|\son\w+=/i);
    assert.equal(page.match(/<style/g)?.length, 1);
    assert.doesNotMatch(page.replaceAll('http://www.w3.org/2000/svg', ''), /(?:src|href|url\()\s*=?\s*["']?https?:/);
  });

  it('when the range is a year, then the chart shows weeks instead of days', () => {
    const report = siteReport();
    const uptime = report.segments.find(({ segment }) => segment === 'uptime');
    const days = Array.from({ length: 365 }, (_, index) => ({
      ...{ kind: 'day', day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10) },
      ...{ uptime_percentage: index === 9 ? 99 : 100, watched_minutes: 1440, response_avg: 200 },
    }));
    Object.assign(uptime ?? {}, { items: days });
    const chart = sectionOf(pageOf(report), 'Availability')?.chart;
    assert.deepEqual([chart?.title, chart?.labels.length], ['Availability per week', 53]);
  });

  it('when names contain markup, then they are escaped and cut', async () => {
    const report = siteReport({ name: HOSTILE_TEXT, plugin: HOSTILE_TEXT, post: HOSTILE_TEXT });
    const hostile = { ...AGENCY, name: HOSTILE_TEXT, footer: `${HOSTILE_TEXT}</style><script>` };
    const presentation = { ...UPDATES, clientName: HOSTILE_TEXT, texts: [HOSTILE_TEXT] };
    const page = await html(report, hostile, presentation);
    const client = { id: 3, name: HOSTILE_TEXT, email: 'a@b.example' };
    const { range, madeAt } = report;
    const ofClient = await buildClientPage(
      { client, range, madeAt, sites: [report, report], totals: [] },
      presentation,
      null,
      formats,
    );
    for (const each of [page, await renderReportHtml(ofClient, hostile, formats)]) {
      for (const tag of tagsOf(each)) assert.doesNotMatch(tag, /^<(script|img)\b|\sonerror=/i);
      assert.ok(each.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
      assert.doesNotMatch(each, /[\0\u202e]/);
      assert.doesNotMatch(each, /W{2001}/);
      assert.equal(each.match(/<\/style>/g)?.length, 1);
    }
  });

  it('when a title is right-to-left, then its cell has dir="auto"', async () => {
    const page = await html(siteReport({ post: RIGHT_TO_LEFT }));
    assert.ok(page.includes(`<td dir="auto" data-label="Post"><span>${RIGHT_TO_LEFT}</span></td>`));
  });

  it('when the appendix has 300 rows, then one table has all of them and repeats its head on paper', async () => {
    const page = await html(siteReport({ rows: 300 }));
    assert.equal(page.match(/<td [^>]*data-label="Plugin"><span>Plugin \d+</g)?.length, 300);
    assert.match(page, /thead \{ display: table-header-group; \}/);
  });

  it('when a client has too many rows for one page, then tables are cut and say so', async () => {
    const report = siteReport({ rows: 1000 });
    const sites = Array.from({ length: 100 }, () => report);
    const { range, madeAt } = report;
    const client = { id: 3, name: 'Harbour Group', email: '' };
    const page = await buildClientPage({ client, range, madeAt, sites, totals: [] }, UPDATES, null, formats);
    const tables = page.appendix.flatMap(({ topics }) => topics.flatMap(({ table }) => table ?? []));
    assert.ok(tables.reduce((sum, { rows }) => sum + rows.length, 0) <= 20_000);
    assert.equal(tables[0]?.more, `and ${1000 - (tables[0]?.rows.length ?? 0)} more`);
    assert.equal(page.overview?.rows.length, 100);
  });

  it('when a client has so many sites that each table would have five rows, then the appendix has 20,000 rows', async () => {
    const sample = siteReport({ rows: 6 });
    const segments = (['core', 'plugins', 'themes', 'posts', 'pages', 'media', 'menus'] as const).flatMap((name) =>
      sample.segments.slice(0, 1).map((plugins) => ({ ...plugins, segment: name })),
    );
    const sites = Array.from({ length: 600 }, () => ({ ...sample, segments }));
    const { range, madeAt } = sample;
    const client = { id: 3, name: 'Harbour Group', email: '' };
    const page = await buildClientPage({ client, range, madeAt, sites, totals: [] }, UPDATES, null, formats);
    const tables = page.appendix.flatMap(({ topics }) => topics.flatMap(({ table }) => table ?? []));
    const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
    assert.equal(rows, 20_000);
    const last = page.appendix.slice(-1);
    const missing = last[0]?.topics[0]?.table;
    assert.deepEqual(
      [missing?.rows, missing?.more],
      [[], '6 entries are missing, because the report would be too long.'],
    );
    const html = await renderReportHtml({ ...page, sites: [], appendix: last }, AGENCY, formats);
    assert.match(html, /<p class="more">6 entries are missing/);
    assert.doesNotMatch(html, /<tbody>\s*<\/tbody>/);
  });

  it('when a client has 60 sites, then the HTML is smaller than 600 KB', async () => {
    const sites = sitesOfStory(60);
    const page = await buildClientPage(clientOfStory('Harbour Group', sites), presentationOf(), null, formatsIn());
    assert.ok(Buffer.byteLength(await renderReportHtml(page, AGENCY, formatsIn())) < 600_000);
  });

  it('when an agency chooses any color, then the contrast of texts is sufficient in light and dark mode', () => {
    for (const color of ['#000000', '#ffffff', '#ffff00', '#ff0000', '#00ff00', '#0000ff', '#808080', '#1f4e79']) {
      assert.ok(contrast(textColorOn(color), color) >= 4.5, `${color}: ${contrast(textColorOn(color), color)}`);
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
