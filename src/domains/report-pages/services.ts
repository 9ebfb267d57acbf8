import type { ReportPages } from './report-pages.ts';

/** What other parts and the surfaces may ask of the pages of reports. */
export interface ReportPagesServices {
  reportPages: ReportPages;
}
