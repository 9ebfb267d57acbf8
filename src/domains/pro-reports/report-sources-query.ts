import type { ReportedSite, ReportRange } from './report.ts';
import type { SegmentName } from './segment-names.ts';

export type ChangeTypesByAction = Readonly<Record<string, readonly string[]>>;

export interface SegmentChangeTypes {
  readonly name: SegmentName;
  /** Change types that the segment shows. With them, one SQL statement can read the changes of all segments. */
  readonly changes?: ChangeTypesByAction;
}

export interface ReportSourcesQuery {
  sites: readonly ReportedSite[];
  range: ReportRange;
  segments: readonly SegmentChangeTypes[];
  maxItems: number;
  action?: string;
  /** If true, changes from before a site was added here are neither counted nor listed. */
  sinceKnown?: boolean;
}
