import { mapInTurns } from '../../shared/event-loop.ts';
import type { ClientReport, SiteReport } from '../pro-reports/index.ts';
import { CLIENT_LIMITS, SITE_LIMITS } from './body-lists.ts';
import { combineKeyFigures } from './client-figures.ts';
import type { Comparison } from './comparison.ts';
import { figureTiles } from './figure-tiles.ts';
import { certificateStateOf, keyFiguresOf, sum, type KeyFigures } from './key-figures.ts';
import { clientKnownSinceSentences } from './known-since.ts';
import { decisionClauses, onlineSentences, workClauses } from './lead.ts';
import type { FormattedFigure, PageSection, SitePageContent, Summary } from './page-content.ts';
import { hasSection, type Presentation } from './presentation.ts';
import { mostUrgentFirst, recommendationsOf, type Recommendations } from './recommendations.ts';
import type { ReportFormats } from './report-formats.ts';
import { recommendationsSection, siteContentOf, siteNameOf } from './site-content.ts';
import { combineAsOf, stateClause, stateSentencesOf } from './state-values.ts';

export interface SiteOfClient {
  report: SiteReport;
  name: string;
  key: KeyFigures;
  recommendations: Recommendations;
}

export async function sitesOfClient(
  { sites }: ClientReport,
  { siteOrder }: Presentation,
  formats: ReportFormats,
): Promise<SiteOfClient[]> {
  const placeOf = ({ report }: SiteOfClient): number => {
    const place = siteOrder.indexOf(report.site.id);
    return place === -1 ? siteOrder.length : place;
  };
  const read = await mapInTurns(sites, (report) => ({
    report,
    name: siteNameOf(report),
    key: keyFiguresOf(report),
    recommendations: recommendationsOf(report, formats),
  }));
  return read.toSorted((one, other) => placeOf(one) - placeOf(other) || formats.language.compare(one.name, other.name));
}

export function clientSummary(
  sites: readonly SiteOfClient[],
  before: Comparison | null,
  formats: ReportFormats,
): Summary {
  const key = combineKeyFigures(sites.map((site) => site.key));
  const count = sites.length;
  const first: FormattedFigure = {
    ...{ value: formats.number(count), label: formats.text('figure.sites', { count }) },
    ...{ tone: 'plain', asOf: null, before: null },
  };
  return {
    notes: clientKnownSinceSentences(
      sites.map(({ report }) => report),
      formats,
    ),
    lead: [
      workSentence(sites, key, formats),
      ...onlineSentence(sites, key, formats),
      ...stateSentences(sites, key, formats).slice(0, 1),
    ],
    figures: figureTiles(key, before, formats, [first]),
  };
}

function workSentence(sites: readonly SiteOfClient[], key: KeyFigures, formats: ReportFormats): string {
  const clauses = workClauses(key, formats);
  const some = sites.filter((site) => site.key.updates !== null).length;
  const values = { some, sites: sites.length, work: formats.language.list(clauses) };
  if (clauses.length === 0) return formats.text('lead.client.about', { count: sites.length });
  const isAll = key.updates === null || some === sites.length;
  return formats.sentence([formats.text(isAll ? 'lead.client.sites' : 'lead.client.some_sites', values)]);
}

function onlineSentence(sites: readonly SiteOfClient[], key: KeyFigures, formats: ReportFormats): string[] {
  const [only] = sites;
  if (sites.length === 1 && only) return onlineSentences(only.key, formats);
  if (key.online === null) return [];
  const isPart =
    key.unwatchedMinutes > 0 || sites.some((site) => site.key.online === null || site.key.watchedSince !== null);
  const down = sites.filter((site) => site.key.incidents > 0).length;
  const values = { share: formats.percent(key.online), sites: down, duration: formats.duration(key.downtimeMinutes) };
  if (down > 0) return [formats.text(isPart ? 'lead.client.outages.watched' : 'lead.client.outages', values)];
  if (isPart) return [formats.text('lead.client.online.watched', values)];
  return [formats.text('lead.client.online.all', values)];
}

function stateSentences(sites: readonly SiteOfClient[], key: KeyFigures, formats: ReportFormats): string[] {
  const expired = sites.filter((site) => (site.key.certificateDays?.value ?? 0) < 0).length;
  // A sentence about all certificates needs a good result of each check.
  const isAll = sites.every(
    (site) => site.key.certificateDays !== null || certificateStateOf(site.report) === 'unknown',
  );
  const clauses = [
    ...stateClause(key.openVulnerabilities, (count) => formats.text('state.vulnerabilities', { count })),
    ...stateClause(key.certificateDays, (days) =>
      expired > 0
        ? formats.text('state.certificates.expired', { count: expired })
        : isAll || days === 0
          ? formats.text('state.certificates.days', { count: days })
          : null,
    ),
    ...decisionClauses(combineRecommendations(sites, formats), formats),
  ];
  return stateSentencesOf(clauses, formats);
}

function combineRecommendations(sites: readonly SiteOfClient[], formats: ReportFormats): Recommendations {
  const items = sites.flatMap(({ name, recommendations }) =>
    recommendations.items.map((item) => ({
      ...item,
      text: formats.text('recommend.site', { site: name, text: item.text }),
    })),
  );
  const bases = sites.map(({ recommendations: { basis } }) => basis);
  const known = bases.filter((basis) => basis !== null);
  const isTooLittle = known.length === 0 || (items.length === 0 && known.length < bases.length);
  const total = sum(sites.map(({ recommendations }) => recommendations.total));
  return { items: mostUrgentFirst(items), total, basis: isTooLittle ? null : combineAsOf(known) };
}

export function clientSections(
  sites: readonly SiteOfClient[],
  presentation: Presentation,
  formats: ReportFormats,
): PageSection[] {
  const sections = presentation.template.sections.flatMap((name): PageSection[] => {
    if (name === 'summary') return ['summary', 'overview'];
    if (name !== 'recommendations') return [];
    const section = recommendationsSection(combineRecommendations(sites, formats), formats, SITE_LIMITS);
    return section ? [section] : [];
  });
  return hasSection(presentation, 'summary') ? sections : ['overview', ...sections];
}

/**
 * Returns half a page about a site of a client. If the template has a summary, the half page starts with the sentences
 * of the summary. Sections without a list are then omitted, because they would repeat these sentences.
 */
export function siteOfClientContent(
  { report }: SiteOfClient,
  presentation: Presentation,
  formats: ReportFormats,
): SitePageContent {
  const content = siteContentOf(report, presentation, null, formats, CLIENT_LIMITS);
  if (!hasSection(presentation, 'summary')) return { ...content, figures: [] };
  const sections = content.sections.filter((section) => typeof section === 'string' || section.lists.length > 0);
  return { ...content, figures: [], sections };
}
