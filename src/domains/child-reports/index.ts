export type { ShopData } from '../../connector/child-site.ts';
export {
  CHILD_REPORT_SECTIONS,
  ChildReports,
  type ChildReport,
  type ChildReportSection,
  type SiteDeadline,
} from './child-reports.ts';
export type { ChildReportsServices } from './part.ts';
