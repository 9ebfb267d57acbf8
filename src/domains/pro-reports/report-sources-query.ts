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
  /** False for the parts of a report about several sites, even if a part has one site. */
  isAboutOneSite: boolean;
  /** Time of the report, in milliseconds since 1970. */
  now: number;
  /** Ends the calls to sites. */
  end?: AbortSignal;
  range: ReportRange;
  segments: readonly SegmentChangeTypes[];
  maxItems: number;
  action?: string;
  /** If true, changes from before a site was added here are neither counted nor listed. */
  sinceKnown?: boolean;
}
