import type { Caller } from '../../shared/caller.ts';
import type { ListOrder } from '../../shared/list-order.ts';
import type { CredentialOwner } from '../../shared/requester.ts';
import type { SegmentName } from '../pro-reports/index.ts';

export const FREQUENCIES = ['weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const FILE_FORMATS = ['pdf', 'html'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** `day` is a day of the week (1 is Monday) or of the month. `time` is a time of day such as `08:00`. */
export interface RecurrenceRule {
  frequency: Frequency;
  day: number;
  time: string;
}

export interface ScheduleFields extends RecurrenceRule {
  name: string;
  /** Null selects all segments that do not need a call to the site. */
  segments: readonly SegmentName[] | null;
  /** Empty if the reports go to the address of the client. */
  recipients: readonly string[];
  /** Null if the subject of the settings applies. */
  subject: string | null;
  format: FileFormat;
  active: boolean;
  holdFirstReport: boolean;
}

export type ReportActor = Pick<Caller, 'name' | 'sites' | 'userId' | 'keyId' | 'permissions'>;

/** Without `holdFirstReport`, the setting applies. */
export type NewReportSchedule = Omit<ScheduleFields, 'holdFirstReport'> & {
  holdFirstReport?: boolean;
  siteId?: number;
  clientId?: number;
};
export type ReportSchedulePatch = { [Name in keyof ScheduleFields]?: ScheduleFields[Name] };

export interface NextRun {
  nextRunAt: number | null;
  /** Time zone that `nextRunAt` was calculated for. */
  zone: string | null;
}

export interface StoredReportSchedule extends ScheduleFields, NextRun {
  id: number;
  siteId: number | null;
  clientId: number | null;
  /** The limited caller that set the recipients. Reports show only its sites. Null if reports show all sites. */
  owner: CredentialOwner | null;
  lastRunAt: number | null;
  /** Time when the first report was released. Null if none was. */
  releasedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export const isHolding = ({ holdFirstReport, releasedAt }: StoredReportSchedule): boolean =>
  holdFirstReport && releasedAt === null;

export interface ReportScheduleRecord extends StoredReportSchedule {
  site: { id: number; url: string; name: string } | null;
  client: { id: number; name: string } | null;
  /** Time zone of the client. Empty if that of the settings applies. */
  timeZone: string;
  sendsTo: string[];
  /** True if the site of the reports is suspended. For reports about a client, true if the client is suspended. */
  isSuspended: boolean;
}

export interface ReportScheduleFilter {
  siteId?: number;
  /** Matches schedules of the client and of its sites. */
  clientId?: number;
  active?: boolean;
  frequency?: Frequency;
  search?: string;
}

export type ScheduleOrder = ListOrder<'name' | 'next_run' | 'last_run' | 'created_at'>;
