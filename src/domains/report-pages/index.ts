export { POLICY } from './page-writer.ts';
export { ReportPages, type Pageable } from './report-pages.ts';
export type { ReportPagesServices } from './part.ts';
