import type { SiteReport } from '../pro-reports/index.ts';
import type { ReportSectionName } from '../report-templates/index.ts';
import { availabilitySection } from './availability-section.ts';
import { shortList, type BodyLimits } from './body-lists.ts';
import type { Comparison } from './comparison.ts';
import { figureTiles } from './figure-tiles.ts';
import { keyFiguresOf, type KeyFigures } from './key-figures.ts';
import { isKnownLater, knownSinceSentences } from './known-since.ts';
import { siteLeadSentences } from './lead.ts';
import type { BodySection, ItemList, PageSection, SitePageContent } from './page-content.ts';
import { hasSection, type Presentation } from './presentation.ts';
import { recommendationsOf, type Recommendation, type Recommendations } from './recommendations.ts';
import type { ReportFormats } from './report-formats.ts';
import { securitySection } from './security-section.ts';
import { speedSection } from './speed-section.ts';
import { formatAsOf, stateSentencesOf } from './state-values.ts';
import { cleanText } from './texts.ts';
import { workSection } from './work-section.ts';

export const siteNameOf = ({ site }: Pick<SiteReport, 'site'>): string => cleanText(site.name) || cleanText(site.url);

export function siteContentOf(
  report: SiteReport,
  presentation: Presentation,
  before: Comparison | null,
  formats: ReportFormats,
  limits: BodyLimits,
): SitePageContent {
  const key = keyFiguresOf(report);
  const recommendations = recommendationsOf(report, formats);
  return {
    name: siteNameOf(report),
    notes: knownSinceSentences(report, formats),
    lead: leadOf(report, key, recommendations, formats, presentation.namedSegments === null),
    figures: figureTiles(key, before, formats),
    sections: presentation.template.sections.flatMap((name): PageSection[] => {
      if (name === 'summary') return ['summary'];
      const section = bodySection(name, report, recommendations, presentation, formats, limits);
      return section ? [section] : [];
    }),
    missing: missingText(report, formats),
  };
}

function leadOf(
  report: SiteReport,
  key: KeyFigures,
  recommendations: Recommendations,
  formats: ReportFormats,
  isWhole: boolean,
): string[] {
  const lead = siteLeadSentences(key, recommendations, formats);
  return lead.length === 0 && isWhole && !isKnownLater(report) ? [formats.text('lead.nothing')] : lead;
}

function bodySection(
  name: Exclude<ReportSectionName, 'summary'>,
  report: SiteReport,
  recommendations: Recommendations,
  presentation: Presentation,
  formats: ReportFormats,
  limits: BodyLimits,
): BodySection | null {
  switch (name) {
    case 'work':
      return workSection(report, formats, limits);
    case 'availability':
      return availabilitySection(report, formats, limits, hasSection(presentation, 'summary'));
    case 'speed':
      return speedSection(report, formats, limits);
    case 'security':
      return securitySection(report, formats, limits, hasSection(presentation, 'work'));
    case 'recommendations':
      return recommendationsSection(recommendations, formats, limits);
  }
}

export function recommendationsSection(
  { items, total, basis }: Recommendations,
  formats: ReportFormats,
  { recommendations: most, isWholeReport }: Pick<BodyLimits, 'recommendations' | 'isWholeReport'>,
): BodySection | null {
  const title = formats.text('section.recommendations');
  if (items.length > 0) {
    const paragraphs = isWholeReport ? [formats.text('recommend.ask', { count: total })] : [];
    return { title, paragraphs, lists: recommendationLists(items, total, formats, most), chart: null };
  }
  if (basis === null) return null;
  const nothing = { asOf: basis, text: formats.text('lead.recommend', { count: 0 }) };
  return { title, paragraphs: stateSentencesOf([nothing], formats), lists: [], chart: null };
}

function recommendationLists(
  items: readonly Recommendation[],
  total: number,
  formats: ReportFormats,
  most: number,
): ItemList[] {
  const shown = total === most + 1 ? items : items.slice(0, most);
  const titles = [...new Set(shown.map(({ asOf }) => formatAsOf(asOf, formats)))];
  return titles.map((title, at) => {
    const ofDay = shown.filter(({ asOf }) => formatAsOf(asOf, formats) === title);
    const list = ofDay.map(({ text, tone }) => ({ text, detail: null, tone }));
    const hidden = at === titles.length - 1 ? total - shown.length : 0;
    return shortList(list, { title, most: list.length, total: list.length + hidden }, formats);
  });
}

export function missingText({ errors }: Pick<SiteReport, 'errors'>, formats: ReportFormats): string | null {
  if (errors.length === 0) return null;
  const topics = errors.map(({ segment }) => formats.text(`topic.${segment}`));
  return formats.text('missing.topics', { topics: formats.language.list([...new Set(topics)]) });
}
