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
import { buildTopics, selectTopics, type TopicSelection } from './topics.ts';

/** Maximum number of rows of a page, so that browsers can open the report of a client with many sites. */
const MOST_ROWS = 20_000;
const FEWEST_ROWS = 5;

type ReportTimes = Pick<SiteReport, 'range' | 'madeAt'>;

export function buildSitePage(
  report: SiteReport,
  presentation: Presentation,
  before: Comparison | null,
  formats: ReportFormats,
): ReportPageContent {
  const site = siteContentOf(report, presentation, before, formats, SITE_LIMITS);
  const page = framedPage(site.name, cleanText(report.site.url), report, [report], presentation, formats);
  return {
    ...page,
    lead: [...openPeriodSentences(report, formats), ...site.lead],
    figures: site.figures,
    sections: site.sections,
    missing: site.missing,
    appendix: buildAppendix([report], presentation, formats).map((each) => ({ ...each, name: null })),
  };
}

export function buildClientPage(
  report: ClientReport,
  presentation: Presentation,
  before: Comparison | null,
  formats: ReportFormats,
): ReportPageContent {
  const sites = sitesOfClient(report, presentation, formats);
  const reports = sites.map((site) => site.report);
  const page = framedPage(cleanText(report.client.name), null, report, reports, presentation, formats);
  const summary = clientSummary(sites, before, formats);
  return {
    ...page,
    lead: [...openPeriodSentences(report, formats), ...summary.lead],
    figures: summary.figures,
    sections: clientSections(sites, presentation, formats),
    missing: null,
    overview: sites.length === 0 ? null : buildOverviewTable(sites, formats),
    sites: sites.map((site) => siteOfClientContent(site, presentation, formats)),
    appendix: buildAppendix(reports, presentation, formats),
  };
}

/** Builds the page about one segment, with all of its items. */
export function buildSegmentPage(
  { segment, ...rest }: SegmentOfSite,
  presentation: Presentation,
  formats: ReportFormats,
): ReportPageContent {
  const report = { ...rest, segments: [segment], errors: [] };
  const name = siteNameOf(report);
  const page = framedPage(name, cleanText(report.site.url), report, [report], presentation, formats);
  const selection = selectTopics([], [segment.segment]);
  const topics = buildTopics(report, selection, formats, { mostRows: MOST_ROWS, isAlone: true });
  return {
    ...page,
    title: `${formats.text(`topic.${segment.segment}`)}: ${page.title}`,
    ...{ greeting: [], opening: [], closing: [] },
    lead: [...openPeriodSentences(report, formats), ...knownSinceSentences(report, formats)],
    figures: [],
    sections: ['summary'],
    missing: null,
    appendixTitle: '',
    appendix: [{ name: null, topics }],
  };
}

/** Returns the parts of a page that are the same for sites and clients. */
function framedPage(
  name: string,
  url: string | null,
  times: ReportTimes,
  reports: readonly SiteReport[],
  presentation: Presentation,
  formats: ReportFormats,
): Omit<ReportPageContent, 'lead' | 'figures' | 'sections' | 'missing' | 'appendix'> {
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

function buildAppendix(
  reports: readonly SiteReport[],
  presentation: Presentation,
  formats: ReportFormats,
): AppendixOfSite[] {
  const selection: TopicSelection = selectTopics(presentation.template.appendix, segmentsBesideBody(presentation));
  const tables = selection.size * reports.length;
  const mostRows = Math.max(FEWEST_ROWS, Math.floor(MOST_ROWS / Math.max(1, tables)));
  return reports.flatMap((report) => {
    const topics = buildTopics(report, selection, formats, { mostRows });
    return topics.length === 0 ? [] : [{ name: siteNameOf(report), topics }];
  });
}
