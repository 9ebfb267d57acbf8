import type { KeyFigures } from './key-figures.ts';
import type { ReportFormats } from './report-formats.ts';
import type { Recommendations } from './recommendations.ts';
import { formatAsOf, stateClause, stateSentencesOf, type StateClause } from './state-values.ts';
import type { TextKey } from '../../languages/index.ts';

/** The summary names the expiry of a domain if at most this number of days is left. */
const DOMAIN_DAYS = 60;

export const siteLeadSentences = (
  key: KeyFigures,
  recommendations: Recommendations,
  formats: ReportFormats,
): string[] => [
  ...workSentences(key, formats),
  ...onlineSentences(key, formats),
  ...stateSentencesOf(stateClauses(key, recommendations, formats), formats).slice(0, 1),
];

function workSentences(key: KeyFigures, formats: ReportFormats): string[] {
  const clauses = workClauses(key, formats);
  return clauses.length === 0 ? [] : [formats.sentence(clauses)];
}

export function workClauses(key: KeyFigures, formats: ReportFormats): string[] {
  const { updates, content, workMinutes, backups, fixedVulnerabilities } = key;
  const clause = (count: number | null, name: TextKey): string[] =>
    count === null || count === 0 ? [] : [formats.text(name, { count })];
  return [
    ...(updates === null ? [] : [formats.text('lead.updates', { count: updates })]),
    ...clause(fixedVulnerabilities, 'lead.fixed'),
    ...clause(content, 'lead.content'),
    ...clause(backups, 'lead.backups'),
    ...(workMinutes ? [formats.text('lead.work', { duration: formats.duration(workMinutes) })] : []),
  ];
}

export function onlineSentences(key: KeyFigures, formats: ReportFormats): string[] {
  const { online, incidents, downtimeMinutes, watchedSince, unwatchedMinutes } = key;
  const date = watchedSince === null ? '' : formats.date(watchedSince);
  if (online === null) {
    if (watchedSince !== null) return [formats.text('lead.watched_since', { date })];
    return unwatchedMinutes > 0 ? [formats.text('lead.unwatched')] : [];
  }
  const parts = [
    'lead.online',
    ...(watchedSince === null ? [] : ['since']),
    ...(unwatchedMinutes > 0 ? ['watched'] : []),
    ...(incidents > 0 ? ['outages'] : []),
  ];
  return [
    formats.text(parts.join('.') as TextKey, {
      date,
      share: formats.percent(online),
      count: incidents,
      duration: formats.duration(downtimeMinutes),
      unwatched: formats.duration(unwatchedMinutes),
    }),
  ];
}

function stateClauses(key: KeyFigures, recommendations: Recommendations, formats: ReportFormats): StateClause[] {
  const { openVulnerabilities: open, certificateDays, domainDays } = key;
  return [
    ...stateClause(open, (count) => formats.text('state.vulnerabilities', { count })),
    ...stateClause(certificateDays, (days) => daysClause('certificate', days, formats)),
    ...stateClause(domainDays, (days) => (days > DOMAIN_DAYS ? null : daysClause('domain', days, formats))),
    ...decisionClauses(recommendations, formats),
  ];
}

/** Returns a clause with the number of recommendations, or none if their data is not all from the same day. */
export function decisionClauses({ total, basis }: Recommendations, formats: ReportFormats): StateClause[] {
  if (basis === null || formatAsOf(basis, formats) !== formatAsOf({ first: basis.last, last: basis.last }, formats))
    return [];
  return [{ asOf: basis, text: formats.text('lead.recommend', { count: total }) }];
}

export const daysClause = (subject: 'certificate' | 'domain', days: number, formats: ReportFormats): string =>
  days < 0
    ? formats.text(`state.${subject}.expired`, { count: -days })
    : formats.text(`state.${subject}.days`, { count: days });
