import type { SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import { countWithNoun } from './texts.ts';

type KnownSite = Pick<SiteReport, 'site' | 'range'>;

export const isKnownLater = ({ site, range }: KnownSite): boolean => site.knownSince > range.from;

export function knownSinceSentences(report: KnownSite, formats: Formats): string[] {
  if (!isKnownLater(report)) return [];
  const known = `This site has been known since ${formats.date(report.site.knownSince)}`;
  return report.site.knownSince >= report.range.until
    ? [`${known}, so there are no figures about this period.`]
    : [`${known}. The figures begin then.`];
}

export function clientKnownSinceSentences(sites: readonly KnownSite[], formats: Formats): string[] {
  const later = sites.filter(isKnownLater).length;
  if (later === 0) return [];
  const added = countWithNoun(formats, later, 'of these sites was', 'of these sites were');
  return [`${added} added during or after this period, so ${later === 1 ? 'its' : 'their'} figures begin later.`];
}
