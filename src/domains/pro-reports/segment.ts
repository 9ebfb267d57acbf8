import type { ReportItem, ReportRange, SegmentContent } from './report.ts';
import type { SiteSources } from './site-sources.ts';
import type { SegmentChanges } from './sources-query.ts';

export interface SegmentQuery {
  range: ReportRange;
  /** Filters the items by action. The counts contain all actions. */
  action?: string;
  maxItems: number;
}

/** Names of the tokens of a segment, such as `[plugin.updated.date]`. */
export interface TokenNames {
  /** First word of the tokens. */
  kind: string;
  /** Token words of fields that have another name in tokens. */
  fields?: Readonly<Record<string, string>>;
}

export interface Segment extends SegmentChanges {
  /** Valid values of `action`. Empty if the items have no action. */
  readonly actions: readonly string[];
  /** True if reading needs a call to the site. Reports contain such a segment only if it is requested. */
  readonly asksSite: boolean;
  /** Fields of an item in the order of table columns. */
  readonly fields: readonly string[];
  readonly tokens: TokenNames;
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

/** Returns the content of a segment that has no data. */
export const noContent = (counts: Record<string, number> = {}): SegmentContent => ({
  source: 'none',
  items: [],
  total: 0,
  counts,
  summary: {},
});
