import type { KeptReportService } from './kept-report-service.ts';
import type { ReportScheduleService } from './report-schedule-service.ts';

/** What the surfaces may ask of the schedules of reports. */
export interface ReportSchedulesServices {
  schedules: ReportScheduleService;
  reports: KeptReportService;
}
