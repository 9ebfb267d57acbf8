import type { Mail } from '../mail/index.ts';
import type { FileFormat, Frequency, Sorting } from './report-schedule.ts';

/** `queued` is about to be made; what failed can be tried again by its job. */
export type ReportState = 'queued' | 'made' | 'failed';
export type ReportMailState = Mail['state'] | 'none';

export interface ReportFault {
  code: string;
  message: string;
}

/** What is known of a report before it is made. */
export interface QueuedReport {
  scheduleId: number;
  about: 'site' | 'client';
  siteId: number | null;
  clientId: number | null;
  /** Name of the site or the client. */
  name: string;
  /** Empty where it is about a client. */
  url: string;
  frequency: Frequency;
  startDate: string;
  endDate: string;
  zone: string;
}

/** What is known of it once it is. */
export interface MadeReport {
  /** What a mail says that carries it. */
  summary: readonly string[];
  /** Whom the first mail goes to, and under which subject; null for that of the settings. */
  recipients: readonly string[];
  subject: string | null;
  sitesCount: number;
  /** Under which people save its files, without what their types add. */
  fileName: string;
  /** Why there is no PDF though the schedule asks for one. */
  pdfFault: ReportFault | null;
}

/** A report that a schedule had made. Times are milliseconds since 1970. */
export interface KeptReport extends Omit<QueuedReport, 'scheduleId'>, MadeReport {
  id: number;
  /** Null once it is deleted, as are those of site and client. */
  scheduleId: number | null;
  state: ReportState;
  fault: ReportFault | null;
  htmlSize: number | null;
  pdfSize: number | null;
  jobId: string | null;
  /** Of its last mail. */
  mailId: number | null;
  createdAt: number;
  madeAt: number | null;
}

export interface KeptReportRecord extends KeptReport {
  /** The newest first; older ones than 90 days are gone. */
  mails: Mail[];
}

export interface KeptReportFilter {
  siteId?: number;
  clientId?: number;
  scheduleId?: number;
  state?: ReportState;
  mailState?: ReportMailState;
  /** Days, as `2026-11-22`: those that are about one of them. */
  from?: string;
  to?: string;
}
export type ReportSorting = Sorting<'created_at' | 'start_date' | 'name'>;

export interface ReportFile {
  format: FileFormat;
  /** For people who save it. */
  name: string;
  contentType: 'application/pdf' | 'text/html';
  bytes: Uint8Array;
}

export const CONTENT_TYPES = { pdf: 'application/pdf', html: 'text/html' } as const satisfies Record<
  FileFormat,
  string
>;
