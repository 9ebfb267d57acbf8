import type { ReportedSite, ReportRange } from './report.ts';
import type { SegmentName } from './segment-names.ts';

export type ChangeTypesByAction = Readonly<Record<string, readonly string[]>>;

export interface SegmentChanges {
  readonly name: SegmentName;
  /** Change types that the segment shows. They are known up front, so that one SQL statement reads all segments. */
  readonly changes?: ChangeTypesByAction;
}

export interface SourcesQuery {
  sites: readonly ReportedSite[];
  range: ReportRange;
  segments: readonly SegmentChanges[];
  maxItems: number;
  action?: string;
}
