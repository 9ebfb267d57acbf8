import type { ReportPages } from './report-pages.ts';

export interface ReportPagesServices {
  reportPages: ReportPages;
}
