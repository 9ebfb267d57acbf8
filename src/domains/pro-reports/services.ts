import type { ReportService } from './report-service.ts';

export interface ProReportsServices {
  reports: ReportService;
}
