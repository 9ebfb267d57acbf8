import type { ReportRange, SegmentName } from '../pro-reports/index.ts';

/** What a report is to be about. */
export interface WantedReport {
  about: { siteId: number } | { clientId: number };
  /** Null for all that sites need not be asked for. */
  segments: readonly SegmentName[] | null;
  range: ReportRange;
}

/** A report as a page, and what it comes to. */
export interface ReportPage {
  html: string;
  /** In sentences. */
  summary: readonly string[];
  sitesCount: number;
  /** Under which people save it, without what its type adds. */
  fileName: string;
  /** The same as PDF. Throws `svc_module_not_available` where there is no browser, or what `signal` says. */
  print(signal: AbortSignal): Promise<Uint8Array>;
}

/** Makes pages of reports. */
export interface ReportPress {
  page(wanted: WantedReport): Promise<ReportPage>;
}
