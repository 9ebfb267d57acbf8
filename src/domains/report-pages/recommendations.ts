import type { ReportItem, SegmentName, SiteReport } from '../pro-reports/index.ts';
import type { TextKey } from '../../languages/index.ts';
import { groupBy } from '../../shared/group-by.ts';
import { certificateStateOf, keyFiguresOf, momentOf, segmentIn, type KeyFigures } from './key-figures.ts';
import type { FigureTone } from './page-content.ts';
import { phpSupportEndedBefore } from './php-support.ts';
import type { ReportFormats } from './report-formats.ts';
import { asOfTime, combineAsOf, type AsOf } from './state-values.ts';
import { softwareName } from './white-label.ts';

/** Causes of recommendations, the most urgent first. */
const CAUSES = ['vulnerability', 'certificate', 'domain', 'php', 'abandoned', 'period'] as const;

/**
 * Recommended step that the client can decide on. `period` is a low uptime or speed in the period of the report. `asOf`
 * is the day of the last report of the site for `php` and `abandoned`, otherwise the day on which this report was made.
 */
export interface Recommendation {
  cause: (typeof CAUSES)[number];
  text: string;
  tone: FigureTone;
  asOf: AsOf;
}

/**
 * `basis` has the first and the last time of the data that the recommendations are made from. It is null if too little
 * is known to say that nothing needs a decision.
 */
export interface Recommendations {
  items: readonly Recommendation[];
  /** Also counts abandoned software that the report does not list, because of its limit. */
  total: number;
  basis: AsOf | null;
}

/** Most certificates are renewed automatically 30 days before they expire. With 14 days left, the renewal is late. */
const CERTIFICATE_DAYS = 14;
const RENEWAL_DAYS = 30;
const DOMAIN_DAYS = 60;
const SLOW_SCORE = 50;
/** Minimum uptime in percent of the watched time. The missing 0.5 % are 3.6 hours of a month. */
const TOO_LITTLE_ONLINE = 99.5;
/** By the state of a certificate that browsers refuse, although it has not expired. */
const BROWSER_WARNINGS: ReadonlyMap<string, TextKey> = new Map([
  ['mismatch', 'recommend.certificate.untrusted'],
  ['untrusted', 'recommend.certificate.untrusted'],
  ['not_yet_valid', 'recommend.certificate.not_yet_valid'],
  ['no_tls', 'recommend.certificate.no_tls'],
]);

export function recommendationsOf(report: SiteReport, formats: ReportFormats): Recommendations {
  const key = keyFiguresOf(report);
  const items = [
    ...vulnerabilityItems(report, key, formats),
    ...certificateItems(report, key, formats),
    ...domainItems(key, formats),
    ...phpItems(report, formats),
    ...abandonedItems(report, formats),
    ...periodItems(key, report.madeAt, formats),
  ];
  const read = [key.openVulnerabilities, readAt(report, 'abandoned'), readAt(report, 'website')];
  const days = [...read, ...items.map(({ asOf }) => asOf)].filter((each) => each !== null);
  const isTooLittle = items.length === 0 && read.some((each) => each === null);
  const abandoned = segmentIn(report, 'abandoned');
  const unlisted = abandoned && readAt(report, 'abandoned') ? abandoned.total - abandoned.items.length : 0;
  return { items, total: items.length + unlisted, basis: isTooLittle || days.length === 0 ? null : combineAsOf(days) };
}

export const mostUrgentFirst = <Item extends Recommendation>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => CAUSES.indexOf(one.cause) - CAUSES.indexOf(other.cause));

function readAt(report: SiteReport, name: SegmentName): AsOf | null {
  const at = momentOf(segmentIn(report, name)?.summary['read_at']);
  return at === null ? null : asOfTime(at);
}

/**
 * Returns one recommendation per vulnerable plugin or theme, and one for a vulnerable WordPress: to update it, or to
 * replace a plugin or theme without a fix. One further recommendation counts the other vulnerabilities: those of a
 * WordPress without a fix, which nothing can replace, and those that were found after the period.
 */
function vulnerabilityItems(report: SiteReport, key: KeyFigures, formats: ReportFormats): Recommendation[] {
  const open = key.openVulnerabilities;
  if (!open || open.value === 0) return [];
  const bySoftware = groupBy(openItemsOf(report), (item) => softwareName(item, formats));
  const named: Recommendation[] = [];
  let more = open.value;
  for (const [name, items] of bySoftware) {
    const version = commonFixOf(items);
    if (version === null && items[0]?.['kind'] === 'core') continue;
    more -= items.length;
    const text =
      version === null
        ? formats.text('recommend.replace_vulnerable', { name })
        : formats.text('recommend.update', { name, version });
    named.push({ cause: 'vulnerability', text, tone: 'bad', asOf: open });
  }
  if (more <= 0) return named;
  const rest = formats.text(named.length > 0 ? 'recommend.more_vulnerabilities' : 'recommend.vulnerabilities', {
    count: more,
  });
  return [...named, { cause: 'vulnerability', text: rest, tone: 'bad', asOf: open }];
}

/** Returns the lowest version that closes all of the vulnerabilities, or null if one has no fix. */
function commonFixOf(items: readonly ReportItem[]): string | null {
  const fixes = items.map((item) => item['fixed_in']);
  return fixes.every((fix) => typeof fix === 'string' && fix !== '') ? newest(fixes.map(String)) : null;
}

export const openItemsOf = (report: SiteReport): ReportItem[] =>
  (segmentIn(report, 'vulnerable')?.items ?? []).filter((item) => item['resolved_at'] === null);

const newest = (versions: readonly string[]): string =>
  versions.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1) ?? '';

function certificateItems(report: SiteReport, key: KeyFigures, formats: ReportFormats): Recommendation[] {
  const days = key.certificateDays;
  const asOf = asOfTime(report.madeAt);
  const withProvider = (text: string): string => formats.text('recommend.certificate.who', { text });
  if (days && days.value < 0) {
    const text = withProvider(formats.text('recommend.certificate.expired', { count: -days.value }));
    return [{ cause: 'certificate', text, tone: 'bad', asOf }];
  }
  const warning = BROWSER_WARNINGS.get(certificateStateOf(report));
  if (warning) return [{ cause: 'certificate', text: formats.text(warning), tone: 'bad', asOf }];
  if (!days || days.value > CERTIFICATE_DAYS) return [];
  const text = withProvider(formats.text('recommend.certificate.soon', { count: days.value }));
  return [{ cause: 'certificate', text, tone: 'warn', asOf }];
}

export const isRenewalDue = ({ certificateDays: days }: KeyFigures): boolean =>
  days !== null && days.value > CERTIFICATE_DAYS && days.value <= RENEWAL_DAYS;

function domainItems({ domainDays: days }: KeyFigures, formats: ReportFormats): Recommendation[] {
  if (!days || days.value > DOMAIN_DAYS) return [];
  const text =
    days.value < 0
      ? formats.text('recommend.domain.expired', { count: -days.value })
      : formats.text('recommend.domain.soon', { count: days.value });
  return [{ cause: 'domain', text, tone: days.value < 0 ? 'bad' : 'warn', asOf: days }];
}

function phpItems(report: SiteReport, formats: ReportFormats): Recommendation[] {
  const asOf = readAt(report, 'website');
  const version = segmentIn(report, 'website')?.summary['php_version'];
  if (!asOf || typeof version !== 'string') return [];
  const ended = phpSupportEndedBefore(version, formats.dayOf(asOf.first));
  if (!ended) return [];
  const text = formats.text('recommend.php', { version: ended.version, date: formats.day(ended.lastDay) });
  return [{ cause: 'php', text, tone: 'warn', asOf }];
}

function abandonedItems(report: SiteReport, formats: ReportFormats): Recommendation[] {
  const asOf = readAt(report, 'abandoned');
  if (!asOf) return [];
  return (segmentIn(report, 'abandoned')?.items ?? []).map((item) => {
    const date = formats.day(String(item['last_updated']));
    return {
      text: formats.text('recommend.abandoned', { name: softwareName(item, formats), date }),
      ...{ cause: 'abandoned' as const, tone: 'warn' as const, asOf },
    };
  });
}

function periodItems(key: KeyFigures, madeAt: number, formats: ReportFormats): Recommendation[] {
  const { online, downtimeMinutes, performance } = key;
  return [
    ...(online !== null && online < TOO_LITTLE_ONLINE
      ? [formats.text('recommend.hosting', { duration: formats.duration(downtimeMinutes) })]
      : []),
    ...(performance !== null && performance < SLOW_SCORE
      ? [formats.text('recommend.speed', { score: performance })]
      : []),
  ].map((text) => ({ cause: 'period', text, tone: 'warn', asOf: asOfTime(madeAt) }));
}
