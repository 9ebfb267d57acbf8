export { CONTENT_SECURITY_POLICY } from './html-renderer.ts';
export { ReportPageRenderer, type ReportToRender } from './report-page-renderer.ts';
export type { ReportPagesServices } from './part.ts';
