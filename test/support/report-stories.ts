import type { ReportItem, SegmentReport, SiteReport, ClientReport } from '../../src/domains/pro-reports/index.ts';
import { compareSites, daysBefore, type Comparison } from '../../src/domains/report-pages/comparison.ts';
import type { Presentation } from '../../src/domains/report-pages/presentation.ts';
import { ReportFormats } from '../../src/domains/report-pages/report-formats.ts';
import { builtInTemplate, type ReportTemplate } from '../../src/domains/report-templates/index.ts';
import { timeZoneOf, type TimeZone } from '../../src/domains/settings/index.ts';
import { languageOf } from '../../src/languages/index.ts';
import { DAY, HOUR, MINUTE } from '../../src/shared/clock.ts';

const ZONE = timeZoneOf('Europe/Berlin') as TimeZone;
const NOVEMBER = { startDate: '2026-11-01', endDate: '2026-11-30' };

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) - ZONE.offsetAt(Date.parse(`${day}T00:00:00Z`));
const rangeOf = (days: { startDate: string; endDate: string }) => ({
  ...{ ...days, zone: 'Europe/Berlin', from: startOf(days.startDate) },
  until: startOf(days.endDate) + DAY,
});
const RANGE = rangeOf(NOVEMBER);
const MADE_AT = Date.parse('2026-12-01T07:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString();
const inNovember = (day: number, hour = 9): string => iso(RANGE.from + (day - 1) * DAY + hour * HOUR);

type Told = Partial<Omit<SegmentReport, 'segment'>>;
const segment = (name: SegmentReport['segment'], told: Told): SegmentReport => ({
  ...{ segment: name, source: 'site', items: [], total: told.items?.length ?? 0, counts: {}, summary: {} },
  ...told,
});

const PLUGINS: readonly (readonly [slug: string, name: string, old: string, current: string])[] = [
  ['woocommerce/woocommerce.php', 'WooCommerce', '9.4.1', '9.4.3'],
  ['wordpress-seo/wp-seo.php', 'Yoast SEO', '23.8', '23.9'],
  ['contact-form-7/wp-contact-form-7.php', 'Contact Form 7', '6.0', '6.0.1'],
  ['mainwp-child/mainwp-child.php', 'MainWP Child', '5.2', '5.3'],
  ['elementor/elementor.php', 'Elementor', '3.25.4', '3.25.10'],
  ['wordfence/wordfence.php', 'Wordfence Security', '8.0.0', '8.0.1'],
  ['wp-mail-smtp/wp_mail_smtp.php', 'WP Mail SMTP', '4.2.0', '4.3.0'],
  ['updraftplus/updraftplus.php', 'UpdraftPlus', '1.24.10', '1.24.11'],
  ['redirection/redirection.php', 'Redirection', '5.5.0', '5.5.1'],
  ['advanced-custom-fields/acf.php', 'Advanced Custom Fields', '6.3.10', '6.3.11'],
  ['wp-rocket/wp-rocket.php', 'WP Rocket', '3.17.2', '3.17.3'],
  ['polylang/polylang.php', 'Polylang', '3.6.4', '3.6.5'],
];

export interface SiteStory {
  id?: number;
  name?: string;
  url?: string;
  knownSince?: string;
  updates?: number;
  tasks?: readonly (readonly [name: string, minutes: number])[];
  posts?: number;
  /** Outages as day of November, hour, and minutes. */
  outages?: readonly (readonly [day: number, hour: number, minutes: number])[];
  score?: number | null;
  vulnerability?: boolean;
  fixed?: number;
  certificateDays?: number;
  /** State of the certificate. Default: `valid`, or `expired` if `certificateDays` is negative. */
  certificate?: string;
  abandoned?: number;
  php?: string;
  pending?: number;
  isMonitored?: boolean;
}

/** Returns a report on November, made on December 1, with the data that a connected site has. */
export function siteOfStory(story: SiteStory = {}): SiteReport {
  const { id = 1, name = 'Corner Bakery', url = 'https://corner-bakery.example/' } = story;
  const knownSince = Date.parse(story.knownSince ?? '2026-03-02T10:00:00Z');
  return {
    site: { id, url, name, clientId: 3, knownSince },
    range: RANGE,
    madeAt: MADE_AT,
    segments: [
      ...activitySegments(story),
      ...(story.isMonitored === false ? [] : [uptimeSegment(story, Math.max(knownSince, RANGE.from), knownSince)]),
      ...stateSegments(story),
    ],
    errors: [],
  };
}

function activitySegments({ updates = 8, tasks = [], posts = 2 }: SiteStory): SegmentReport[] {
  const items = Array.from({ length: updates }, (_, at): ReportItem => {
    const plugin = at % PLUGINS.length;
    const [slug, name, old, current] = PLUGINS[plugin] ?? ['', '', '', ''];
    // Later items are earlier updates of the same plugin.
    const step = Math.ceil((updates - plugin) / PLUGINS.length) - 1 - Math.floor(at / PLUGINS.length);
    const versions = [old, current, ...[1, 2, 3, 4].map((patch) => `${current}.${patch}`)];
    const times = { date: inNovember(28 - (at % 27)), author: 'tom_admin' };
    return {
      action: 'updated',
      name,
      slug,
      old_version: versions[step] ?? '',
      new_version: versions[step + 1] ?? '',
      ...times,
    };
  });
  const seconds = tasks.reduce((sum, [, minutes]) => sum + minutes * 60, 0);
  const taskItems = tasks.map(([name, minutes]): ReportItem => ({
    ...{ kind: 'task', name, version: null, active: null, day: '2026-11-12', duration_seconds: minutes * 60 },
  }));
  const software = PLUGINS.map(([, name, , version]) => ({ kind: 'plugin', name, version, active: true }));
  return [
    segment('plugins', { source: 'change-log', items, counts: { updated: updates, installed: 0 } }),
    segment('themes', { source: 'change-log', counts: { updated: 0 } }),
    segment('core', {
      source: 'change-log',
      items: [
        { action: 'updated', old_version: '6.7', new_version: '6.7.1', date: inNovember(21), author: 'tom_admin' },
      ],
      counts: { updated: 1 },
    }),
    segment('posts', { source: 'change-log', counts: { created: posts, updated: posts * 2, trashed: 0, deleted: 0 } }),
    segment('pages', { source: 'change-log', counts: { created: 0, updated: 1, trashed: 0, deleted: 0 } }),
    segment('misc', {
      items: [...software, ...taskItems],
      total: software.length + tasks.length,
      counts: { tasks: tasks.length, task_seconds: seconds, plugins: software.length },
      summary: { last_sync: '2026-12-01T05:30:00Z', read_at: '2026-12-01T05:30:00Z' },
    }),
  ];
}

function uptimeSegment({ outages = [] }: SiteStory, watchedFrom: number, knownSince: number): SegmentReport {
  const watched = Math.max(0, (RANGE.until - watchedFrom) / MINUTE);
  const down = outages.reduce((sum, [, , minutes]) => sum + minutes, 0);
  const days = Array.from({ length: 30 }, (_, at): ReportItem => {
    const minutes = outages.filter(([day]) => day === at + 1).reduce((sum, [, , each]) => sum + each, 0);
    const share = Math.round(1000 * (100 - (100 * minutes) / 1440)) / 1000;
    return {
      ...{ kind: 'day', day: `2026-11-${String(at + 1).padStart(2, '0')}`, uptime_percentage: share },
      ...{ watched_minutes: 1440, downtime_minutes: minutes, response_avg: 310 + ((at * 7) % 40) },
    };
  }).filter((_, at) => RANGE.from + at * DAY >= watchedFrom - DAY);
  const incidents = outages.map(([day, hour, minutes]): ReportItem => {
    const start = RANGE.from + (day - 1) * DAY + hour * HOUR;
    return {
      ...{ kind: 'incident', started_at: iso(start), ended_at: iso(start + minutes * MINUTE) },
      ...{
        downtime_minutes: minutes,
        watched_minutes: minutes,
        cause: 'The host 10.0.0.7 did not accept the connection.',
      },
    };
  });
  return segment('uptime', {
    source: 'monitors',
    items: [...days, ...incidents],
    counts: { incidents: incidents.length },
    summary: {
      ...{ ratio_all: Math.round(1e5 * (100 - (100 * down) / watched)) / 1e5, downtime_minutes: down },
      ...{ watched_minutes: watched, unwatched_minutes: 0, response_avg: 328, response_max: 1870, gaps: [] },
      watched_since: knownSince > RANGE.from ? iso(knownSince) : null,
      estimated_until: null,
    },
  });
}

function stateSegments(story: SiteStory): SegmentReport[] {
  const { score = 91, vulnerability = false, fixed = 0, certificateDays = 61, abandoned = 0, pending = 0 } = story;
  const open: ReportItem[] = vulnerability
    ? [
        {
          ...{ kind: 'plugin', slug: 'photo-slider', name: 'Photo Slider', version: '2.1.0', title: 'Stored XSS' },
          ...{ severity: 'high', detected_at: inNovember(26), resolved_at: null, fixed_in: '2.1.4' },
          ...{ disclosed_at: inNovember(25), offered_at: inNovember(27) },
        },
      ]
    : [];
  const sync = { last_sync: '2026-12-01T05:30:00Z', read_at: '2026-12-01T05:30:00Z' };
  return [
    segment('sslmonitor', {
      source: 'ssl-monitor',
      summary: {
        ...{ status: story.certificate ?? (certificateDays < 0 ? 'expired' : 'valid'), days_left: certificateDays },
        valid_to: iso(MADE_AT + certificateDays * DAY),
      },
    }),
    segment('domainmonitor', {
      source: 'domain-monitor',
      summary: {
        domain_name: 'corner-bakery.example',
        status: 'active',
        days_left: 220,
        expiry_date: '2027-07-09T00:00:00Z',
      },
    }),
    segment('vulnerable', {
      source: 'vulnerabilities',
      items: open,
      counts: { open: open.length, resolved: fixed, count: open.length + fixed },
      summary: { check_date: '2026-12-01T06:17:00Z', open_now: open.length },
    }),
    ...(score === null
      ? []
      : [
          segment('perfaudit', {
            source: 'perf-audit',
            counts: { audits: 2 },
            summary: {
              mobile_performance: score,
              desktop_performance: Math.min(100, score + 6),
              last_check: inNovember(27),
            },
          }),
        ]),
    segment('pending', { counts: { total: pending }, summary: sync }),
    segment('abandoned', {
      items: Array.from({ length: abandoned }, (_, at) => ({
        ...{ kind: 'plugin', name: `Old Gallery ${at + 1}`, slug: `old-gallery-${at}/a.php`, version: '1.2' },
        last_updated: '2020-08-07',
      })),
      summary: sync,
    }),
    segment('website', { summary: { php_version: story.php ?? '8.3.14', ip: '10.0.0.7', ...sync } }),
  ];
}

/** Returns the same sites a month earlier, with fewer updates. */
function monthBefore(report: SiteReport): SiteReport {
  const segments = report.segments.flatMap((each): SegmentReport[] => {
    if (each.segment === 'plugins') return [{ ...each, counts: { ...each.counts, updated: 5 } }];
    if (each.segment === 'uptime')
      return [{ ...each, counts: { incidents: 0 }, summary: { ...each.summary, ratio_all: 100, downtime_minutes: 0 } }];
    if (each.segment === 'perfaudit') return [{ ...each, summary: { ...each.summary, mobile_performance: 84 } }];
    return [each];
  });
  return { ...report, range: rangeOf(daysBefore(NOVEMBER)), segments };
}

export const comparisonOf = (sites: readonly SiteReport[]): Comparison | null =>
  compareSites(sites, sites.map(monthBefore));

export const clientOfStory = (name: string, sites: SiteReport[]): ClientReport => ({
  ...{ client: { id: 3, name, email: 'office@client.example' }, range: RANGE, madeAt: MADE_AT, sites, totals: [] },
});

const NAMES = [
  [
    'Harbour Hotel',
    'Harbour Café',
    'Spa & Wellness',
    'Event Rooms',
    'Booking',
    'Jobs',
    'Magazine',
    'Wine Shop',
    'Intranet',
  ],
  ['News', 'Archive', 'Shop'],
].flat();

/** Returns sites of one client. Some had an outage, an open vulnerability, or were connected during the month. */
export const sitesOfStory = (count: number): SiteReport[] =>
  Array.from({ length: count }, (_, at) =>
    siteOfStory({
      ...{
        id: at + 1,
        name: `${NAMES[at % 9]}${at < 9 ? '' : ` ${at + 1}`}`,
        url: `https://site-${at + 1}.harbour.example/`,
      },
      ...{ updates: (at * 5) % 23, posts: at % 4, score: 40 + ((at * 13) % 60), pending: at % 3 },
      ...(at % 4 === 1 && { outages: [[11, 14, 22]] as const }),
      ...(at % 5 === 2 && { vulnerability: true }),
      ...(at % 6 === 3 && { knownSince: '2026-11-14T09:00:00Z' }),
      ...(at % 7 === 4 && { php: '8.1.29' }),
      ...(at % 3 === 0 && {
        tasks: [
          ['Menu card changed', 45],
          ['Photos replaced', 90],
        ] as const,
      }),
    }),
  );

export const BAKERY: SiteStory = {
  ...{
    updates: 8,
    posts: 2,
    tasks: [
      ['Christmas opening hours', 35],
      ['New photos on the home page', 50],
    ],
  },
  ...{ score: 91, fixed: 1 },
};
export const SHOP: SiteStory = {
  ...{ id: 2, name: 'Bike Shop Miller', url: 'https://bikes-miller.example/', updates: 31, posts: 5 },
  ...{
    outages: [
      [9, 3, 95],
      [18, 20, 22],
      [24, 8, 7],
    ],
    score: 43,
    vulnerability: true,
    pending: 6,
  },
  ...{ certificateDays: 9, abandoned: 2, php: '7.4.33', tasks: [['Payment provider repaired', 140]] },
};

export const presentationOf = (
  language = 'en',
  template: ReportTemplate = builtInTemplate('care-plan', language) as ReportTemplate,
  more: Partial<Presentation> = {},
): Presentation => ({
  ...{
    template,
    language,
    texts: [],
    agencyName: 'North Sea Web',
    clientName: 'Maria Brandt',
    siteOrder: [],
    namedSegments: null,
  },
  ...more,
});

export const formatsIn = (language = 'en', zone: TimeZone = ZONE): ReportFormats =>
  new ReportFormats(languageOf(language), zone);

/** Returns a template of an agency without texts. */
export const templateWith = (fields: Partial<ReportTemplate>): ReportTemplate => ({
  ...(builtInTemplate('care-plan', 'en') as ReportTemplate),
  ...{ key: 'ours', builtIn: false, greeting: '', intro: '', closing: '' },
  ...fields,
});
