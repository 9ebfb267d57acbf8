export * from './report.ts';
export { parseReportRange } from './report-range.ts';
export type { ReportReader, ReportRequest, ReportSubject } from './report-reader.ts';
export { SEGMENT_NAMES, type SegmentName } from './segment-names.ts';
export { SEGMENTS, segmentByName } from './segments/index.ts';
export type { Segment } from './segment.ts';
export type { ProReportsServices } from './part.ts';
