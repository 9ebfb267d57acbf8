import type { ClientReport, ReportRange, SegmentOfSite, SiteReport } from '../pro-reports/index.ts';
import { SEGMENT_LAYOUTS } from './segment-layouts.ts';
import type { Formats } from '../settings/index.ts';
import { buildCharts } from './charts.ts';
import type { Cell, FormattedFigure, ReportPageContent, SitePageContent, Table } from './page-content.ts';
import { buildSections } from './sections.ts';
import {
  daysTone,
  keyFiguresOf,
  buildSiteLeadSentences,
  onlineTone,
  openVulnerabilitiesClause,
  formatKeyFigures,
  stateClause,
  type KeyFigures,
} from './key-figures.ts';
import { clientKnownSinceSentences, isKnownLater, knownSinceSentences } from './known-since.ts';
import { percentText, scoreTone } from './value-formatting.ts';
import {
  combineAsOf,
  combineStateValues,
  stateSentencesOf,
  type StateClause,
  type StateValue,
} from './state-values.ts';
import { cleanText, countWithNoun } from './texts.ts';

/** Maximum number of rows of a page, so that browsers can open the report of a client with many sites. */
const MOST_ROWS = 20_000;
/** Number of sites with charts in the report of a client. The other sites have figures only. */
const MOST_DRAWN_SITES = 20;

export function buildSitePage(report: SiteReport, formats: Formats): ReportPageContent {
  const site = sitePartOf(report, formats, MOST_ROWS, true);
  return {
    title: `${site.name}: ${formatPeriod(report.range, formats)}`,
    cover: { name: site.name, url: site.url, ...formatReportTimes(report, formats) },
    lead: [...openPeriodSentences(report, formats), ...site.lead],
    figures: site.figures,
    charts: site.charts,
    overview: null,
    sites: [{ ...site, lead: [], figures: [], charts: [] }],
  };
}

export function buildClientPage(report: ClientReport, formats: Formats): ReportPageContent {
  const { client, sites } = report;
  const tables = sites.reduce((sum, { segments }) => sum + segments.length, 0);
  const mostRows = Math.max(5, Math.floor(MOST_ROWS / Math.max(1, tables)));
  const keys = sites.map(keyFiguresOf);
  const name = cleanText(client.name);
  return {
    title: `${name}: ${formatPeriod(report.range, formats)}`,
    cover: { name, url: null, ...formatReportTimes(report, formats) },
    lead: [
      ...openPeriodSentences(report, formats),
      ...buildClientLeadSentences(keys, formats),
      ...clientKnownSinceSentences(sites, formats),
    ],
    figures: clientFigures(keys, formats),
    charts: [],
    overview: buildOverviewTable(sites, keys, formats),
    sites: sites.map((site, at) => sitePartOf(site, formats, mostRows, at < MOST_DRAWN_SITES)),
  };
}

export function buildSegmentPage({ segment, ...rest }: SegmentOfSite, formats: Formats): ReportPageContent {
  const page = buildSitePage({ ...rest, segments: [segment], errors: [] }, formats);
  return { ...page, title: `${SEGMENT_LAYOUTS[segment.segment].title}: ${page.title}` };
}

type ReportTimes = Pick<SiteReport, 'range' | 'madeAt'>;

const formatPeriod = ({ startDate, endDate }: ReportRange, formats: Formats): string =>
  startDate === endDate ? formats.day(startDate) : `${formats.day(startDate)} – ${formats.day(endDate)}`;

const openPeriodSentences = ({ range, madeAt }: ReportTimes, formats: Formats): string[] =>
  madeAt < range.until ? [`The period is not over; this report covers it up to ${formats.date(madeAt)}.`] : [];

/** Returns the time zone of all times of the page, such as `Europe/Berlin` or `UTC+5:30`. */
const zoneLabel = (zone: string): string => `Time zone: ${zone.replaceAll('_', ' ')}`;

const formatReportTimes = ({ range, madeAt }: ReportTimes, formats: Formats) => ({
  period: formatPeriod(range, formats),
  zone: zoneLabel(range.zone),
  madeAt: formats.dateTime(madeAt),
});

function sitePartOf(report: SiteReport, formats: Formats, mostRows: number, isDrawn: boolean): SitePageContent {
  const { site, errors } = report;
  const key = keyFiguresOf(report);
  return {
    name: siteNameOf(report),
    url: cleanText(site.url),
    lead: [...knownSinceSentences(report, formats), ...buildSiteLeadSentences(key, formats)],
    figures: formatKeyFigures(key, formats),
    charts: isDrawn ? buildCharts(report, formats) : [],
    sections: buildSections(report, formats, mostRows),
    missing: errors.map(({ segment, message }) => `${SEGMENT_LAYOUTS[segment].title}: ${cleanText(message)}`),
  };
}

const siteNameOf = ({ site }: SiteReport): string => cleanText(site.name) || cleanText(site.url);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sumOrNull = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value === null) ? null : sum(values.map((value) => value ?? 0));

/** Weighs the uptime of each site by the time in which it was watched. */
function onlineOfAll(keys: readonly KeyFigures[]): number | null {
  const watched = keys.filter((key) => key.online !== null);
  const minutes = sum(watched.map(({ watchedMinutes }) => watchedMinutes));
  if (minutes === 0) return null;
  return sum(watched.map(({ online, watchedMinutes }) => (online ?? 0) * watchedMinutes)) / minutes;
}

/** Adds up the figures of all sites. Figures that say nothing about several sites are omitted. */
const combineKeyFigures = (keys: readonly KeyFigures[]): KeyFigures => ({
  updates: sumOrNull(keys.map((key) => key.updates)),
  online: onlineOfAll(keys),
  watchedMinutes: 0,
  unwatchedMinutes: 0,
  watchedSince: null,
  incidents: 0,
  downtimeMinutes: 0,
  backups: sumOrNull(keys.map((key) => key.backups)),
  fixedVulnerabilities: 0,
  performance: null,
  certificateDays: null,
  domainDays: null,
  openVulnerabilities: combineStateValues(
    keys.map((key) => key.openVulnerabilities),
    sum,
  ),
  pending: combineStateValues(
    keys.map((key) => key.pending),
    sum,
  ),
});

const onlineSentenceStart = (watched: number, sites: number): string =>
  watched < sites ? 'While they were watched, the sites were' : sites === 1 ? 'It was' : 'On average they were';

function buildClientLeadSentences(keys: readonly KeyFigures[], formats: Formats): string[] {
  const { updates, online, openVulnerabilities } = combineKeyFigures(keys);
  const soonest = combineStateValues(
    keys.map((key) => key.certificateDays),
    (days) => Math.min(...days),
  );
  const sites = countWithNoun(formats, keys.length, 'site');
  const updated = keys.filter((key) => key.updates !== null).length;
  const watched = keys.filter((key) => key.online !== null).length;
  return [
    updates === null
      ? `This report is about ${sites}.`
      : `On ${updated < keys.length ? `${formats.number(updated)} of ` : ''}${sites}, ${countWithNoun(formats, updates, 'update was', 'updates were')} installed.`,
    ...(online === null
      ? []
      : [`${onlineSentenceStart(watched, keys.length)} online ${percentText(online, formats)} of the time.`]),
    ...stateSentencesOf(
      [
        ...stateClause(soonest, (days) => certificatesClause(days, formats)),
        ...stateClause(openVulnerabilities, (open) => openVulnerabilitiesClause(open, formats)),
      ],
      formats,
    ),
  ];
}

const certificatesClause = (days: number, formats: Formats): string =>
  days < 0
    ? 'a certificate has expired'
    : `all certificates are valid for at least another ${countWithNoun(formats, days, 'day')}`;

const clientFigures = (keys: readonly KeyFigures[], formats: Formats): FormattedFigure[] => [
  { value: formats.number(keys.length), label: keys.length === 1 ? 'site' : 'sites', tone: 'plain', asOf: null },
  ...formatKeyFigures(combineKeyFigures(keys), formats),
];

type OverviewValue = number | StateValue | null;
type OverviewColumn = readonly [label: string, read: (key: KeyFigures) => OverviewValue, show: CellFormatter];

function buildOverviewTable(sites: readonly SiteReport[], keys: readonly KeyFigures[], formats: Formats): Table {
  const plain: CellFormatter = (value) => cell(value === null ? '' : formats.number(value), null);
  const days: CellFormatter = (value) => ({
    ...plain(value),
    tone: value === null || daysTone(value) === 'good' ? null : daysTone(value),
  });
  const columns: readonly OverviewColumn[] = [
    ['Updates', (key) => key.updates, plain],
    ['Online', (key) => key.online, (value) => (value === null ? plain(value) : onlineCell(value, formats))],
    [
      'Performance',
      (key) => key.performance,
      (value) => ({ ...plain(value), tone: value === null ? null : scoreTone(value) }),
    ],
    ['Certificate, days', (key) => key.certificateDays, days],
    ['Domain, days', (key) => key.domainDays, days],
    ['Vulnerabilities', (key) => key.openVulnerabilities, (value) => ({ ...plain(value), tone: value ? 'bad' : null })],
    ['Waiting', (key) => key.pending, plain],
  ];
  const filled = columns.filter(([, read]) => keys.some((key) => read(key) !== null));
  const isAnyLater = sites.some(isKnownLater);
  const knownSince = (site: SiteReport): Cell => ({
    ...cell(isKnownLater(site) ? formats.date(site.site.knownSince) : '', null),
    numeric: false,
  });
  return {
    columns: [
      { label: 'Site', numeric: false },
      ...(isAnyLater ? [{ label: 'Known since', numeric: false }] : []),
      ...filled.map(([label]) => ({ label, numeric: true })),
    ],
    rows: sites.map((report, at) => [
      { text: siteNameOf(report), tone: null, numeric: false, short: false },
      ...(isAnyLater ? [knownSince(report)] : []),
      ...filled.map(([, read, show]) => show(numberIn(read(keys[at] as KeyFigures)))),
    ]),
    more: 0,
    note: overviewNote(filled, keys, formats),
  };
}

const numberIn = (value: OverviewValue): number | null => (typeof value === 'object' ? (value?.value ?? null) : value);

/** Names the columns that are not about the period, by their day. */
function overviewNote(
  columns: readonly OverviewColumn[],
  keys: readonly KeyFigures[],
  formats: Formats,
): string | null {
  const clauses = columns.flatMap(([label, read]): StateClause[] => {
    const values = keys.map(read).filter((value) => typeof value === 'object' && value !== null);
    return values.length === 0 ? [] : [{ asOf: combineAsOf(values), text: label }];
  });
  if (clauses.length === 0) return null;
  return [...stateSentencesOf(clauses, formats), 'All other figures are about the period.'].join(' ');
}

type CellFormatter = (value: number | null) => Cell;

const cell = (text: string, tone: Cell['tone']): Cell => ({ text, tone, numeric: true, short: true });

const onlineCell = (online: number, formats: Formats): Cell =>
  cell(percentText(online, formats), onlineTone(online) === 'good' ? null : onlineTone(online));
