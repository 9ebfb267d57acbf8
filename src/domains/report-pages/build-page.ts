import { mapInTurns } from '../../shared/event-loop.ts';
import type { ClientReport, SegmentOfSite, SiteReport } from '../pro-reports/index.ts';
import type { TokenValues } from './template-texts.ts';
import { SITE_LIMITS } from './body-lists.ts';
import { clientSections, clientSummary, siteOfClientContent, sitesOfClient } from './client-content.ts';
import type { Comparison } from './comparison.ts';
import { knownSinceSentences, openPeriodSentences } from './known-since.ts';
import { buildOverviewTable } from './overview-table.ts';
import type { AppendixOfSite, ReportPageContent } from './page-content.ts';
import { segmentsBesideBody, type Presentation } from './presentation.ts';
import type { ReportFormats } from './report-formats.ts';
import { siteContentOf, siteNameOf } from './site-content.ts';
import { paragraphsOf } from './template-texts.ts';
import { cleanText } from './texts.ts';
import { buildAppendixTopics, selectTopics, type RowLimits, type TopicSelection } from './appendix-topics.ts';

/** Maximum number of rows of an appendix, so that browsers can open the report of a client with many sites. */
const MOST_ROWS = 20_000;
/** A table has at least so many rows, unless the other tables have used all rows of the appendix. */
const FEWEST_ROWS = 5;

type ReportTimes = Pick<SiteReport, 'range' | 'madeAt'>;

export function buildSitePage(
  report: SiteReport,
  presentation: Presentation,
  before: Comparison | null,
  formats: ReportFormats,
): ReportPageContent {
  const site = siteContentOf(report, presentation, before, formats, SITE_LIMITS);
  const page = commonPageContent(site.name, cleanText(report.site.url), report, [report], presentation, formats);
  return {
    ...page,
    notes: [...openPeriodSentences(report, formats), ...site.notes],
    lead: site.lead,
    figures: site.figures,
    sections: site.sections,
    missing: site.missing,
    appendix: appendixOf(presentation, 1, formats)(report).map((each) => ({ ...each, name: null })),
  };
}

/** Other work of the process can run between two sites, because a client may have hundreds of them. */
export async function buildClientPage(
  report: ClientReport,
  presentation: Presentation,
  before: Comparison | null,
  formats: ReportFormats,
): Promise<ReportPageContent> {
  const sites = await sitesOfClient(report, presentation, formats);
  const reports = sites.map((site) => site.report);
  const page = commonPageContent(cleanText(report.client.name), null, report, reports, presentation, formats);
  const summary = clientSummary(sites, before, formats);
  return {
    ...page,
    notes: [...openPeriodSentences(report, formats), ...summary.notes],
    lead: summary.lead,
    figures: summary.figures,
    sections: clientSections(sites, presentation, formats),
    missing: null,
    overview: sites.length === 0 ? null : await buildOverviewTable(sites, formats),
    sites: await mapInTurns(sites, (site) => siteOfClientContent(site, presentation, formats)),
    appendix: (await mapInTurns(reports, appendixOf(presentation, reports.length, formats))).flat(),
  };
}

export function buildSegmentPage(
  { segment, ...rest }: SegmentOfSite,
  presentation: Presentation,
  formats: ReportFormats,
): ReportPageContent {
  const report = { ...rest, segments: [segment], errors: [] };
  const name = siteNameOf(report);
  const page = commonPageContent(name, cleanText(report.site.url), report, [report], presentation, formats);
  const selection = selectTopics([], [segment.segment]);
  const topics = buildAppendixTopics(report, selection, formats, rowLimits(1), true);
  return {
    ...page,
    title: `${formats.text(`topic.${segment.segment}`)}: ${page.title}`,
    ...{ greeting: [], opening: [], closing: [] },
    notes: [...openPeriodSentences(report, formats), ...knownSinceSentences(report, formats)],
    lead: [],
    figures: [],
    sections: ['summary'],
    missing: null,
    appendixTitle: '',
    appendix: [{ name: null, topics }],
  };
}

function commonPageContent(
  name: string,
  url: string | null,
  times: ReportTimes,
  reports: readonly SiteReport[],
  presentation: Presentation,
  formats: ReportFormats,
): Omit<ReportPageContent, 'notes' | 'lead' | 'figures' | 'sections' | 'missing' | 'appendix'> {
  const { template, texts } = presentation;
  const period = formats.period(times.range);
  const values = tokenValuesOf(times, reports, presentation, formats);
  const greeting = paragraphsOf(template.greeting, values);
  return {
    language: formats.language.tag,
    direction: formats.language.direction,
    title: `${name}: ${period}`,
    cover: {
      ...{ name, url, period, isFullPage: template.cover },
      zone: formats.text('period.zone', { zone: times.range.zone.replaceAll('_', ' ') }),
      createdOn: formats.text('footer.created', { date: formats.dateTime(times.madeAt) }),
    },
    greeting,
    opening: [...greeting, ...[template.intro, ...texts].flatMap((text) => paragraphsOf(text, values))],
    closing: paragraphsOf(template.closing, values),
    overview: null,
    sites: [],
    sitesTitle: formats.text('section.sites'),
    details: formats.text('site.details'),
    appendixTitle: formats.text('section.appendix'),
  };
}

function tokenValuesOf(
  { range, madeAt }: ReportTimes,
  reports: readonly SiteReport[],
  { agencyName, clientName }: Presentation,
  formats: ReportFormats,
): TokenValues {
  const [first] = reports;
  return {
    'agency.name': agencyName,
    'client.name': clientName,
    'site.name': reports.length === 1 && first ? siteNameOf(first) : '',
    'sites.count': formats.number(reports.length),
    period: formats.period(range),
    'period.start': formats.day(range.startDate),
    'period.end': formats.day(range.endDate),
    'report.date': formats.date(madeAt),
  };
}

function appendixOf(
  presentation: Presentation,
  sites: number,
  formats: ReportFormats,
): (report: SiteReport) => AppendixOfSite[] {
  const selection: TopicSelection = selectTopics(presentation.template.appendix, segmentsBesideBody(presentation));
  const limits = rowLimits(selection.size * sites);
  return (report) => {
    const topics = buildAppendixTopics(report, selection, formats, limits);
    return topics.length === 0 ? [] : [{ name: siteNameOf(report), topics }];
  };
}

const rowLimits = (tables: number): RowLimits => ({
  mostRows: Math.max(FEWEST_ROWS, Math.floor(MOST_ROWS / Math.max(1, tables))),
  budget: { rows: MOST_ROWS },
});
