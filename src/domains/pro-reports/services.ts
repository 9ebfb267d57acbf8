import type { ReportService } from './report-service.ts';

/** What other parts and the surfaces may ask of the reports. */
export interface ProReportsServices {
  reports: ReportService;
}
