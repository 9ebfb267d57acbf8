import type { SiteReport } from '../pro-reports/index.ts';
import { shortList, type BodyLimits } from './body-lists.ts';
import { keyFiguresOf, momentOf, segmentIn, type KeyFigures } from './key-figures.ts';
import { daysClause } from './lead.ts';
import type { BodySection, ItemList, ListItem } from './page-content.ts';
import { isRenewalDue, openItemsOf } from './recommendations.ts';
import type { ReportFormats } from './report-formats.ts';
import { asOfTime, formatAsOf, stateClause, stateSentencesOf, type StateClause } from './state-values.ts';
import { cleanText } from './texts.ts';
import { badgeToneOf, translatedWord } from './value-formatting.ts';
import { softwareName } from './white-label.ts';

/** `hasWork` is true if the report has a section about the work, which already counts the fixed vulnerabilities. */
export function securitySection(
  report: SiteReport,
  formats: ReportFormats,
  limits: BodyLimits,
  hasWork: boolean,
): BodySection | null {
  const key = keyFiguresOf(report);
  const paragraphs = [
    ...(hasWork ? [] : periodSentences(key, formats)),
    ...stateSentencesOf(
      [
        ...stateClause(key.openVulnerabilities, (count) => formats.text('state.vulnerabilities', { count })),
        ...certificateClauses(report, key, formats),
        ...domainClauses(report, key, formats),
        ...stateClause(key.pending, (count) => formats.text('state.pending', { count })),
      ],
      formats,
    ),
    ...(isRenewalDue(key) ? [formats.text('security.certificate.renewal')] : []),
  ];
  if (paragraphs.length === 0) return null;
  return {
    title: formats.text('section.security'),
    paragraphs,
    lists: openList(report, key, formats, limits),
    chart: null,
  };
}

const periodSentences = ({ fixedVulnerabilities: count }: KeyFigures, formats: ReportFormats): string[] =>
  count === 0 ? [] : [formats.text('security.period', { clauses: formats.text('lead.fixed', { count }) })];

/** Names the last day of a valid certificate, because readers need a date and not a number of days. */
function certificateClauses(report: SiteReport, key: KeyFigures, formats: ReportFormats): StateClause[] {
  const until = momentOf(segmentIn(report, 'sslmonitor')?.summary['valid_to']);
  return stateClause(key.certificateDays, (days) =>
    days < 0 || until === null
      ? daysClause('certificate', days, formats)
      : formats.text('state.certificate.valid', { date: formats.date(until) }),
  );
}

function domainClauses(report: SiteReport, key: KeyFigures, formats: ReportFormats): StateClause[] {
  const until = segmentIn(report, 'domainmonitor')?.summary['expiry_date'];
  return stateClause(key.domainDays, (days) =>
    days < 0 || typeof until !== 'string'
      ? daysClause('domain', days, formats)
      : formats.text('state.domain.until', { date: formats.day(until.slice(0, 10)) }),
  );
}

function openList(
  report: SiteReport,
  key: KeyFigures,
  formats: ReportFormats,
  { items: most }: BodyLimits,
): ItemList[] {
  const open = key.openVulnerabilities;
  if (!open || open.value === 0) return [];
  const items = openItemsOf(report).map((item): ListItem => {
    const [version, fix] = [cleanText(String(item['version'] ?? '')), cleanText(String(item['fixed_in'] ?? ''))];
    const severity = String(item['severity'] ?? '');
    const details = [
      ...(severity === '' ? [] : [translatedWord(severity, formats)]),
      fix === '' ? formats.text('security.no_fix') : formats.text('security.fixed_in', { version: fix }),
    ];
    const text = formats.text('security.open.item', { name: softwareName(item, formats), version }).trim();
    return { text, detail: details.join(', '), tone: badgeToneOf(severity) };
  });
  if (items.length === 0) return [];
  const day = formatAsOf(asOfTime(report.madeAt), formats);
  const title = `${formats.text('security.open')} (${day})`;
  return [shortList(items, { title, most, total: open.value }, formats)];
}
