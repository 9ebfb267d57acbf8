import type { ReportItem, ReportRange, SegmentContent } from './report.ts';
import type { SiteSources } from './site-sources.ts';
import type { SegmentChangeTypes } from './report-sources-query.ts';

export interface SegmentQuery {
  range: ReportRange;
  action?: string;
  maxItems: number;
}

/** `kind` is the first word of the tokens, as in `[plugin.updated.date]`. */
export interface SegmentTokenNaming {
  kind: string;
  fields?: Readonly<Record<string, string>>;
  /** Values of the summary that are dates without a reliable time of day. */
  dates?: readonly string[];
}

export interface Segment extends SegmentChangeTypes {
  readonly actions: readonly string[];
  /** True if `read` calls the site. A report contains such a segment only if it is requested. */
  readonly asksSite: boolean;
  readonly fields: readonly string[];
  readonly tokens: SegmentTokenNaming;
  read(sources: SiteSources, query: SegmentQuery): Promise<SegmentContent>;
  /** Yields all items in batches. Only for segments that can have too many items for memory; otherwise use `read`. */
  stream?(sources: SiteSources, query: SegmentQuery): AsyncIterable<ReportItem>;
}

export const defineSegment = (parts: Omit<Segment, 'actions' | 'asksSite' | 'fields'> & Partial<Segment>): Segment => ({
  actions: [],
  fields: [],
  asksSite: false,
  ...parts,
});

export const emptySegmentContent = (counts: Record<string, number> = {}): SegmentContent => ({
  source: 'none',
  items: [],
  total: 0,
  counts,
  summary: {},
});
