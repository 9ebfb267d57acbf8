import type { SegmentName } from './segment-names.ts';

/** Where the items of a segment come from. */
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

/** Both days inclusive, in the dashboard's time zone; from the one moment until before the other, in milliseconds. */
export interface ReportRange {
  startDate: string;
  endDate: string;
  /** As `TimeZone.identifier` has it. */
  zone: string;
  from: number;
  until: number;
}

/** What stands in a segment; lists are of texts. Texts of a child are hostile. Times are ISO texts in UTC. */
export type ReportValue = string | number | boolean | null | string[];
export type ReportItem = Record<string, ReportValue>;

/** What a segment says of a site. */
export interface SegmentContent {
  source: SegmentSource;
  /** Newest first; at most as many as are asked for. */
  items: ReportItem[];
  /** Items there are in all. */
  total: number;
  /** Every count that the segment has, 0 where nothing happened. */
  counts: Record<string, number>;
  /** The named facts that are no counts; empty where there are none. */
  summary: Record<string, ReportValue>;
}

export interface SegmentReport extends SegmentContent {
  segment: SegmentName;
}

/** The site that a report is about. */
export interface ReportedSite {
  id: number;
  url: string;
  name: string;
  clientId: number | null;
}

/** A segment that could not be had. */
export interface SegmentError {
  segment: SegmentName;
  code: string;
  message: string;
}

export interface SiteReport {
  site: ReportedSite;
  range: ReportRange;
  /** Milliseconds since 1970. */
  madeAt: number;
  /** In the order of the interface. */
  segments: SegmentReport[];
  errors: SegmentError[];
}

/** The client that a report is for; texts are empty where nothing is known. */
export interface ReportedClient {
  id: number;
  name: string;
  email: string;
}

/** What a segment comes to over all sites of a client. */
export interface SegmentTotals {
  segment: SegmentName;
  /** Items there are in all. */
  total: number;
  counts: Record<string, number>;
}

export interface ClientReport {
  client: ReportedClient;
  range: ReportRange;
  madeAt: number;
  /** Ordered by address. */
  sites: SiteReport[];
  totals: SegmentTotals[];
}
