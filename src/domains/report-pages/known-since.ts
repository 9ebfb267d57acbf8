import type { SiteReport } from '../pro-reports/index.ts';
import type { ReportFormats } from './report-formats.ts';

type KnownSite = Pick<SiteReport, 'site' | 'range'>;
type ReportTimes = Pick<SiteReport, 'range' | 'madeAt'>;

export const isKnownLater = ({ site, range }: KnownSite): boolean => site.knownSince > range.from;

export const isPeriodOpen = ({ range, madeAt }: ReportTimes): boolean => madeAt < range.until;

export const openPeriodSentences = (times: ReportTimes, formats: ReportFormats): string[] =>
  isPeriodOpen(times) ? [formats.text('period.open', { date: formats.date(times.madeAt) })] : [];

export function knownSinceSentences(report: KnownSite, formats: ReportFormats): string[] {
  if (!isKnownLater(report)) return [];
  const date = formats.date(report.site.knownSince);
  return [formats.text(report.site.knownSince >= report.range.until ? 'known.after' : 'known.later', { date })];
}

export function clientKnownSinceSentences(sites: readonly KnownSite[], formats: ReportFormats): string[] {
  const [first] = sites;
  if (sites.length === 1 && first) return knownSinceSentences(first, formats);
  const later = sites.filter(isKnownLater).length;
  const [date, ...others] = new Set(sites.map(({ site }) => formats.date(site.knownSince)));
  const isDuring = first !== undefined && first.site.knownSince < first.range.until;
  if (later === sites.length && date !== undefined && others.length === 0 && isDuring)
    return [formats.text('known.all', { date })];
  return later === 0 ? [] : [formats.text('known.client', { count: later })];
}
