export * from './report.ts';
export { daysOf } from './range.ts';
export type { ReportRequest, ReportService, SegmentRequest } from './report-service.ts';
export { SEGMENT_NAMES, type SegmentName } from './segment-names.ts';
export { SEGMENTS, segmentOf } from './segments/index.ts';
export type { Segment } from './segment.ts';
export type { ProReportsServices } from './services.ts';
export type { Tokens, TokenTexts } from './tokens.ts';
