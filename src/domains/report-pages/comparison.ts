import type { ReportDays, SiteReport } from '../pro-reports/index.ts';
import { toDate, DAY } from '../../shared/clock.ts';
import { combineKeyFigures } from './client-figures.ts';
import { keyFiguresOf, type KeyFigures } from './key-figures.ts';
import { isPeriodOpen } from './known-since.ts';
import { isFullMonth } from './report-formats.ts';

export interface Comparison {
  days: ReportDays;
  key: KeyFigures;
}

export function daysBefore({ startDate, endDate }: ReportDays): ReportDays {
  const [first, last] = [Date.parse(startDate), Date.parse(endDate)];
  const lastBefore = toDate(first - DAY);
  if (isFullMonth({ startDate, endDate })) return { startDate: `${lastBefore.slice(0, 7)}-01`, endDate: lastBefore };
  return { startDate: toDate(first - (last - first) - DAY), endDate: lastBefore };
}

/**
 * Returns the figures of the previous period. Returns null if the period of the report is not over, or if a site was
 * added after the start of the previous period: a whole period would then be compared with a part of one.
 */
export function compareSites(
  sites: readonly Pick<SiteReport, 'site' | 'range' | 'madeAt'>[],
  before: readonly SiteReport[],
): Comparison | null {
  const [first] = before;
  if (!first || sites.some(isPeriodOpen)) return null;
  const bySite = new Map(before.map((report) => [report.site.id, report]));
  const compared = sites.map(({ site }) => bySite.get(site.id));
  if (compared.some((report) => !report || report.site.knownSince > report.range.from)) return null;
  const keys = compared.flatMap((report) => (report ? [withFullyWatchedTime(keyFiguresOf(report))] : []));
  const { startDate, endDate } = first.range;
  return { days: { startDate, endDate }, key: keys.length === 1 && keys[0] ? keys[0] : combineKeyFigures(keys) };
}

const withFullyWatchedTime = (key: KeyFigures): KeyFigures =>
  key.watchedSince === null && key.unwatchedMinutes === 0 ? key : { ...key, online: null, responseMs: null };
