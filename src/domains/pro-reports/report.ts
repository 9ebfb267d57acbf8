import type { SegmentName } from './segment-names.ts';

const SEGMENT_SOURCES = [
  'change-log',
  'site',
  'monitors',
  'ssl-monitor',
  'domain-monitor',
  'perf-audit',
  'vulnerabilities',
  'backups',
  'child-reports',
  'none',
] as const;
export type SegmentSource = (typeof SEGMENT_SOURCES)[number];

/** Days such as `2026-11-21`. */
export interface ReportDays {
  startDate: string;
  endDate: string;
}

/**
 * Days are inclusive and in the time zone `zone`, which is that of the client or of the settings. `from` (inclusive)
 * and `until` (exclusive) are milliseconds since 1970.
 */
export interface ReportRange extends ReportDays {
  zone: string;
  from: number;
  until: number;
}

/** Field value of an item. Times are ISO texts in UTC. Texts from a child plugin are untrusted. */
export type ReportValue = string | number | boolean | null | string[];
export type ReportItem = Record<string, ReportValue>;

export interface SegmentContent {
  source: SegmentSource;
  /** Newest first, at most `maxItems`. */
  items: ReportItem[];
  total: number;
  counts: Record<string, number>;
  summary: Record<string, ReportValue>;
}

export interface SegmentReport extends SegmentContent {
  segment: SegmentName;
}

export interface ReportedSite {
  id: number;
  url: string;
  name: string;
  clientId: number | null;
  /** Time at which the site was added. From then on, this service can know what happened. */
  knownSince: number;
}

/** `madeAt` is the time at which the values that are not about the range were read. */
export interface SegmentOfSite {
  site: ReportedSite;
  range: ReportRange;
  madeAt: number;
  segment: SegmentReport;
}

export interface SegmentError {
  segment: SegmentName;
  code: string;
  message: string;
}

export interface SiteReport {
  site: ReportedSite;
  range: ReportRange;
  madeAt: number;
  segments: SegmentReport[];
  errors: SegmentError[];
}

export interface ReportedClient {
  id: number;
  name: string;
  email: string;
}

export interface SegmentTotals {
  segment: SegmentName;
  total: number;
  counts: Record<string, number>;
}

export interface ClientReport {
  client: ReportedClient;
  range: ReportRange;
  madeAt: number;
  sites: SiteReport[];
  totals: SegmentTotals[];
}
