export { CONTENT_SECURITY_POLICY } from './page-renderer.ts';
export { ReportPages, type ReportContent } from './report-pages.ts';
export type { ReportPagesServices } from './part.ts';
