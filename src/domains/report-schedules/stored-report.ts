import type { ListOrder } from '../../shared/list-order.ts';
import type { Mail } from '../mail/index.ts';
import type { ReportLink } from './report-link.ts';
import type { FileFormat, Frequency } from './report-schedule.ts';

/** A `queued` report is not made yet. A `failed` report can be retried through its job. */
export type ReportState = 'queued' | 'made' | 'failed';
/** Null if the report did not have to wait for a release. */
export type ReleaseState = 'waiting' | 'released' | 'discarded' | null;
export type ReportMailState = Mail['state'] | 'none';

export interface ReportFault {
  code: string;
  message: string;
}

export interface QueuedReport {
  scheduleId: number;
  about: 'site' | 'client';
  siteId: number | null;
  clientId: number | null;
  name: string;
  url: string;
  frequency: Frequency;
  startDate: string;
  endDate: string;
  zone: string;
  text: string | null;
}

export interface MadeReport {
  /** Client of the schedule, or of its site, when the report was made. */
  clientId: number | null;
  zone: string;
  summary: readonly string[];
  /** Language of the report and its mail, as a BCP 47 tag. */
  language: string;
  /** Recipients and subject of the first mail. `subject` is null if that of the settings applies. */
  recipients: readonly string[];
  subject: string | null;
  sitesCount: number;
  fileName: string;
  pdfFault: ReportFault | null;
}

/** Report that a schedule created. Times are milliseconds since 1970. */
export interface StoredReport extends Omit<QueuedReport, 'scheduleId'>, MadeReport {
  id: number;
  /** Null if the schedule is deleted. Likewise, `siteId` and `clientId` are null if the site or client is deleted. */
  scheduleId: number | null;
  state: ReportState;
  fault: ReportFault | null;
  htmlSize: number | null;
  pdfSize: number | null;
  jobId: string | null;
  mailId: number | null;
  releaseState: ReleaseState;
  heldAt: number | null;
  createdAt: number;
  madeAt: number | null;
}

export interface StoredReportRecord extends StoredReport {
  /** Newest first. Mails are deleted after 90 days. */
  mails: Mail[];
  links: ReportLink[];
}

export interface StoredReportFilter {
  siteId?: number;
  clientId?: number;
  scheduleId?: number;
  state?: ReportState;
  mailState?: ReportMailState;
  /** Days such as `2026-11-22`. The filter matches reports whose period overlaps the days from `from` to `to`. */
  from?: string;
  to?: string;
}
export type ReportOrder = ListOrder<'created_at' | 'start_date' | 'name'>;

export interface StoredReportFile {
  format: FileFormat;
  name: string;
  contentType: 'application/pdf' | 'text/html';
  bytes: Uint8Array;
}

export const CONTENT_TYPES = { pdf: 'application/pdf', html: 'text/html' } as const satisfies Record<
  FileFormat,
  string
>;

export const REPORTS_TURNED_OFF = 'Report mails are turned off in the e-mail settings.';
