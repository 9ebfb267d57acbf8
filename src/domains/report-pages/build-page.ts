import type { ClientReport, ReportRange, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import { SEGMENT_LAYOUTS } from './segment-layouts.ts';
import type { Formats } from '../settings/index.ts';
import { buildCharts } from './charts.ts';
import type { Cell, Figure, Page, SitePage, Table } from './page.ts';
import { buildSections } from './sections.ts';
import { daysTone, shownFiguresOf, keyFiguresOf, leadSentencesOf, onlineTone, type KeyFigures } from './key-figures.ts';
import { percentText, scoreTone } from './cell-values.ts';
import { cleanText, countWithNoun } from './texts.ts';

/** Maximum number of rows of a page, so that browsers can open the report of a client with many sites. */
const MOST_ROWS = 20_000;
/** Number of sites with charts in the report of a client. The other sites have figures only. */
const MOST_DRAWN_SITES = 20;

export function buildSitePage(report: SiteReport, formats: Formats): Page {
  const site = sitePartOf(report, formats, MOST_ROWS, true);
  return {
    title: `${site.name}: ${formatPeriod(report.range, formats)}`,
    cover: { name: site.name, url: site.url, ...formatReportTimes(report, formats) },
    lead: site.lead,
    figures: site.figures,
    charts: site.charts,
    overview: null,
    sites: [{ ...site, lead: [], figures: [], charts: [] }],
  };
}

export function buildClientPage(report: ClientReport, formats: Formats): Page {
  const { client, sites } = report;
  const tables = sites.reduce((sum, { segments }) => sum + segments.length, 0);
  const mostRows = Math.max(5, Math.floor(MOST_ROWS / Math.max(1, tables)));
  const keys = sites.map(keyFiguresOf);
  const name = cleanText(client.name);
  return {
    title: `${name}: ${formatPeriod(report.range, formats)}`,
    cover: { name, url: null, ...formatReportTimes(report, formats) },
    lead: clientLead(keys, formats),
    figures: clientFigures(keys, formats),
    charts: [],
    overview: buildOverviewTable(sites, keys, formats),
    sites: sites.map((site, at) => sitePartOf(site, formats, mostRows, at < MOST_DRAWN_SITES)),
  };
}

interface SegmentContext extends Pick<SiteReport, 'site' | 'range' | 'madeAt'> {
  segment: SegmentReport;
}

export function buildSegmentPage({ segment, ...rest }: SegmentContext, formats: Formats): Page {
  const page = buildSitePage({ ...rest, segments: [segment], errors: [] }, formats);
  return { ...page, title: `${SEGMENT_LAYOUTS[segment.segment].title}: ${page.title}` };
}

const formatPeriod = ({ startDate, endDate }: ReportRange, formats: Formats): string =>
  startDate === endDate ? formats.day(startDate) : `${formats.day(startDate)} – ${formats.day(endDate)}`;

const formatReportTimes = ({ range, madeAt }: { range: ReportRange; madeAt: number }, formats: Formats) => ({
  period: formatPeriod(range, formats),
  madeAt: formats.dateTime(madeAt),
});

function sitePartOf(report: SiteReport, formats: Formats, mostRows: number, isDrawn: boolean): SitePage {
  const { site, errors } = report;
  const key = keyFiguresOf(report);
  return {
    name: cleanText(site.name) || cleanText(site.url),
    url: cleanText(site.url),
    lead: leadSentencesOf(key, formats),
    figures: shownFiguresOf(key, formats),
    charts: isDrawn ? buildCharts(report, formats) : [],
    sections: buildSections(report, formats, mostRows),
    missing: errors.map(({ segment, message }) => `${SEGMENT_LAYOUTS[segment].title}: ${cleanText(message)}`),
  };
}

const sumOrNull = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value === null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

const meanOrNull = (values: readonly (number | null)[]): number | null => {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length;
};

const sitesWere = (sites: number): string => (sites === 1 ? 'It was' : 'On average they were');

function clientLead(keys: readonly KeyFigures[], formats: Formats): string[] {
  const updates = sumOrNull(keys.map((key) => key.updates));
  const online = meanOrNull(keys.map((key) => key.online));
  const soonest = keys.map((key) => key.certificateDays).filter((days) => days !== null);
  const open = sumOrNull(keys.map((key) => key.openVulnerabilities));
  const sites = countWithNoun(formats, keys.length, 'site');
  return [
    updates === null
      ? `This report is about ${sites}.`
      : `On ${sites}, ${countWithNoun(formats, updates, 'update was', 'updates were')} installed.`,
    ...(online === null ? [] : [`${sitesWere(keys.length)} online ${percentText(online, formats)} of the time.`]),
    ...(soonest.length === 0 ? [] : [certificatesSentence(Math.min(...soonest), formats)]),
    ...(open === null
      ? []
      : [
          open === 0
            ? 'No known vulnerability is open.'
            : `${countWithNoun(formats, open, 'known vulnerability is', 'known vulnerabilities are')} open.`,
        ]),
  ];
}

const certificatesSentence = (days: number, formats: Formats): string =>
  days < 0
    ? 'A certificate has expired.'
    : `All certificates are valid for at least another ${countWithNoun(formats, days, 'day')}.`;

function clientFigures(keys: readonly KeyFigures[], formats: Formats): Figure[] {
  const sum = (read: (key: KeyFigures) => number | null): number | null => sumOrNull(keys.map(read));
  const all = shownFiguresOf(
    {
      updates: sum((key) => key.updates),
      online: meanOrNull(keys.map((key) => key.online)),
      incidents: 0,
      downtimeMinutes: 0,
      certificateDays: null,
      domainDays: null,
      backups: sum((key) => key.backups),
      openVulnerabilities: sum((key) => key.openVulnerabilities),
      fixedVulnerabilities: 0,
      performance: null,
      pending: sum((key) => key.pending),
    },
    formats,
  );
  return [{ value: formats.number(keys.length), label: keys.length === 1 ? 'site' : 'sites', tone: 'plain' }, ...all];
}

function buildOverviewTable(sites: readonly SiteReport[], keys: readonly KeyFigures[], formats: Formats): Table {
  const plain = (value: number | null): Cell => cell(value === null ? '' : formats.number(value), null);
  const days = (value: number | null): Cell => ({
    ...plain(value),
    tone: value === null || daysTone(value) === 'good' ? null : daysTone(value),
  });
  const columns: readonly (readonly [label: string, read: (key: KeyFigures) => number | null, show: CellFormat])[] = [
    ['Updates', (key) => key.updates, plain],
    ['Online', (key) => key.online, (value) => (value === null ? plain(value) : onlineCell(value, formats))],
    ['Certificate, days', (key) => key.certificateDays, days],
    ['Domain, days', (key) => key.domainDays, days],
    ['Vulnerabilities', (key) => key.openVulnerabilities, (value) => ({ ...plain(value), tone: value ? 'bad' : null })],
    [
      'Performance',
      (key) => key.performance,
      (value) => ({ ...plain(value), tone: value === null ? null : scoreTone(value) }),
    ],
    ['Waiting', (key) => key.pending, plain],
  ];
  const filled = columns.filter(([, read]) => keys.some((key) => read(key) !== null));
  return {
    columns: [{ label: 'Site', numeric: false }, ...filled.map(([label]) => ({ label, numeric: true }))],
    rows: sites.map(({ site }, at) => [
      { text: cleanText(site.name) || cleanText(site.url), tone: null, numeric: false, short: false },
      ...filled.map(([, read, show]) => show(read(keys[at] as KeyFigures))),
    ]),
    more: 0,
  };
}

type CellFormat = (value: number | null) => Cell;

const cell = (text: string, tone: Cell['tone']): Cell => ({ text, tone, numeric: true, short: true });

const onlineCell = (online: number, formats: Formats): Cell =>
  cell(percentText(online, formats), onlineTone(online) === 'good' ? null : onlineTone(online));
