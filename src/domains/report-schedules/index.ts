export type { StoredReportFilter, StoredReportRecord } from './stored-report.ts';
export { parseMakeReportResult } from './make-report.job.ts';
export type {
  NewReportSchedule,
  ReportActor,
  ReportScheduleFilter,
  ReportSchedulePatch,
  ReportScheduleRecord,
} from './report-schedule.ts';
export { ALL_REPORTS, reportScopeOf } from './report-scope-read-model.ts';
export type { PeriodChoice } from './report-period.ts';
export type { ReportSchedulesServices } from './part.ts';
