import type { SegmentName } from '../pro-reports/index.ts';

export const FREQUENCIES = ['weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const FILE_FORMATS = ['pdf', 'html'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** When a report is made: a day of the week from Monday on, or of the month, and a time of day as `08:00`. */
export interface Rhythm {
  frequency: Frequency;
  day: number;
  time: string;
}

/** What an operator decides of a schedule. */
export interface ScheduleFields extends Rhythm {
  name: string;
  /** Null for all that sites need not be asked for. */
  segments: readonly SegmentName[] | null;
  /** Empty for the address of the client. */
  recipients: readonly string[];
  /** Of its mails; null for that of the settings. */
  subject: string | null;
  format: FileFormat;
  active: boolean;
}

export type NewReportSchedule = ScheduleFields & { siteId?: number; clientId?: number };
/** What is absent stays as it is. */
export type ReportSchedulePatch = { [Name in keyof ScheduleFields]?: ScheduleFields[Name] };

/** When a schedule is due. Times are milliseconds since 1970. */
export interface Due {
  /** Null while it is not active. */
  nextRunAt: number | null;
  /** The time zone that this follows from. */
  zone: string | null;
}

export interface StoredReportSchedule extends ScheduleFields, Due {
  id: number;
  siteId: number | null;
  clientId: number | null;
  lastRunAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A schedule with what it is about, as they are now. */
export interface ReportScheduleRecord extends StoredReportSchedule {
  /** Null where it is about a client. */
  site: { id: number; url: string; name: string } | null;
  /** Whom it is for; null for a site without one. */
  client: { id: number; name: string } | null;
  /** Whom a mail would go to. */
  sendsTo: string[];
  /** Its site, or its client, is suspended. */
  isSuspended: boolean;
}

export interface ReportScheduleFilter {
  siteId?: number;
  /** Of the client itself, and of its sites. */
  clientId?: number;
  active?: boolean;
  frequency?: Frequency;
  search?: string;
}

export interface Sorting<Field extends string> {
  by: Field;
  order: 'asc' | 'desc';
}
export type ScheduleSorting = Sorting<'name' | 'next_run' | 'last_run' | 'created_at'>;
