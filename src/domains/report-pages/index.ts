export { CONTENT_SECURITY_POLICY } from './html-renderer.ts';
export { ReportFormats } from './report-formats.ts';
export { ReportPageRenderer, type ReportToRender } from './report-page-renderer.ts';
export type { PresentationChoice, ReportPageReader } from './report-page-reader.ts';
export type { ReportPagesServices } from './part.ts';
