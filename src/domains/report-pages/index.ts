export { POLICY } from './page-writer.ts';
export { NO_BROWSER, ReportPages, type Pageable, type ReportFile, type SiteSegment } from './report-pages.ts';
export type { ReportPagesServices } from './services.ts';
