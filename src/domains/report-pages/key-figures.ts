import type { ReportItem, SegmentName, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import { stateValueAt, type StateValue } from './state-values.ts';

/**
 * Figures for the summary of a report. A figure is null if it was not measured or not requested. Numbers are about the
 * period, and a `StateValue` is about the day on which it was read.
 */
export interface KeyFigures {
  updates: number | null;
  /** Number of changes of posts and pages, new ones included. */
  content: number | null;
  workMinutes: number | null;
  tasks: number;
  online: number | null;
  watchedMinutes: number;
  unwatchedMinutes: number;
  /** Start of the watched time, if it is after the start of the period. */
  watchedSince: number | null;
  incidents: number;
  downtimeMinutes: number;
  responseMs: number | null;
  backups: number | null;
  fixedVulnerabilities: number;
  openAtEnd: number | null;
  performance: number | null;
  /** Null if browsers refuse the certificate for another reason than its end, or if the site was unreachable. */
  certificateDays: StateValue | null;
  domainDays: StateValue | null;
  openVulnerabilities: StateValue | null;
  pending: StateValue | null;
}

export const UPDATE_SEGMENTS = ['plugins', 'themes', 'core'] as const satisfies readonly SegmentName[];
const CONTENT_SEGMENTS = ['posts', 'pages'] as const satisfies readonly SegmentName[];

/** States in which only the end of a certificate decides if browsers accept it. */
const DATED_CERTIFICATES = new Set(['valid', 'expiring', 'expired']);

export const segmentIn = ({ segments }: Pick<SiteReport, 'segments'>, name: SegmentName): SegmentReport | undefined =>
  segments.find(({ segment, source }) => segment === name && source !== 'none');

export const certificateStateOf = (report: Pick<SiteReport, 'segments'>): string =>
  String(segmentIn(report, 'sslmonitor')?.summary['status'] ?? 'unknown');

export function keyFiguresOf(report: Pick<SiteReport, 'segments' | 'madeAt'>): KeyFigures {
  const { madeAt } = report;
  const find = (name: SegmentName): SegmentReport | undefined => segmentIn(report, name);
  const fact = (name: SegmentName, ...facts: string[]): number | null => {
    const values = facts.map((each) => find(name)?.summary[each]);
    return values.find((value) => typeof value === 'number') ?? null;
  };
  const certificateDays = DATED_CERTIFICATES.has(certificateStateOf(report)) ? fact('sslmonitor', 'days_left') : null;
  const count = (name: SegmentName, of: string): number | null => find(name)?.counts[of] ?? null;
  const seconds = count('misc', 'task_seconds');
  return {
    updates: sumOrNull(UPDATE_SEGMENTS.map((name) => count(name, 'updated'))),
    content: sumOrNull(CONTENT_SEGMENTS.flatMap((name) => [count(name, 'created'), count(name, 'updated')])),
    workMinutes: seconds === null ? null : seconds / 60,
    tasks: count('misc', 'tasks') ?? 0,
    online: fact('uptime', 'ratio_all'),
    watchedMinutes: fact('uptime', 'watched_minutes') ?? 0,
    unwatchedMinutes: fact('uptime', 'unwatched_minutes') ?? 0,
    watchedSince: momentOf(find('uptime')?.summary['watched_since']),
    incidents: outagesIn(find('uptime')),
    downtimeMinutes: fact('uptime', 'downtime_minutes') ?? 0,
    responseMs: fact('uptime', 'response_avg'),
    backups: count('backups', 'created'),
    fixedVulnerabilities: count('vulnerable', 'resolved') ?? 0,
    openAtEnd: count('vulnerable', 'open'),
    performance: fact('perfaudit', 'mobile_performance', 'desktop_performance'),
    certificateDays: stateValueAt(certificateDays, madeAt),
    domainDays: stateValueAt(fact('domainmonitor', 'days_left'), madeAt),
    openVulnerabilities: stateValueAt(fact('vulnerable', 'open_now'), madeAt),
    pending: stateValueAt(count('pending', 'total'), momentOf(find('pending')?.summary['read_at'])),
  };
}

/** An incident during an update by this service has a downtime of 0 minutes. It is no outage for a client. */
export const isOutage = ({ kind, downtime_minutes: minutes }: ReportItem): boolean =>
  kind === 'incident' && minutes !== 0;

/** Returns the number of outages. Incidents that `items` does not list, because of its limit, count as outages. */
function outagesIn(uptime: SegmentReport | undefined): number {
  if (!uptime) return 0;
  const incidents = uptime.items.filter(({ kind }) => kind === 'incident');
  return (uptime.counts['incidents'] ?? 0) - incidents.filter((each) => !isOutage(each)).length;
}

export function momentOf(value: unknown): number | null {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const sumOrNull = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value === null) ? null : sum(values.map((value) => value ?? 0));
