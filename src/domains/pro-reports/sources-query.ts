import type { ReportedSite, ReportRange } from './report.ts';
import type { SegmentName } from './segment-names.ts';

/** Types of the change log by the action that they count as. */
export type ActionTypes = Readonly<Record<string, readonly string[]>>;

/** What sources know of a segment. */
export interface Topic {
  readonly name: SegmentName;
  /** The part of the change log that it shows, so that all segments are read with one statement. */
  readonly changes?: ActionTypes;
}

export interface SourcesQuery {
  sites: readonly ReportedSite[];
  range: ReportRange;
  /** All that the report has. */
  segments: readonly Topic[];
  maxItems: number;
  /** Only items of this action. */
  action?: string;
}
