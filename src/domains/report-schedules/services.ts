import type { KeptReportService } from './kept-report-service.ts';
import type { ReportScheduleService } from './report-schedule-service.ts';

export interface ReportSchedulesServices {
  schedules: ReportScheduleService;
  reports: KeptReportService;
}
