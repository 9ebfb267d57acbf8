import type { ReportItem, ReportRange, SegmentContent } from './report.ts';
import type { SiteSources } from './site-sources.ts';
import type { Topic } from './sources-query.ts';

/** What is asked of a segment. */
export interface SegmentQuery {
  range: ReportRange;
  /** Only items of this action; counts are of all. */
  action?: string;
  maxItems: number;
}

/** How what a segment says is spelled as tokens, as in `[plugin.updated.date]`. */
export interface TokenSpelling {
  /** What they begin with. */
  kind: string;
  /** Words for fields that go by another one there. */
  fields?: Readonly<Record<string, string>>;
}

/** One topic of a report: where it comes from, and how it is told. */
export interface Segment extends Topic {
  /** What `action` may name; empty for a segment whose items have none. */
  readonly actions: readonly string[];
  /** The site is called for it, so that a report of several has it only when it is named. */
  readonly asksSite: boolean;
  /** Fields of an item, in the order in which tables show them. */
  readonly fields: readonly string[];
  readonly tokens: TokenSpelling;
  read(sources: SiteSources, query: SegmentQuery): Promise<SegmentContent>;
  /** All items, some at a time; what `read` gives unless there are more than a memory should hold. */
  stream?(sources: SiteSources, query: SegmentQuery): AsyncIterable<ReportItem>;
}

/** A segment that the site is not called for. */
export const segment = (parts: Omit<Segment, 'actions' | 'asksSite' | 'fields'> & Partial<Segment>): Segment => ({
  actions: [],
  fields: [],
  asksSite: false,
  ...parts,
});

/** What a segment says that nobody can tell anything of. */
export const noContent = (counts: Record<string, number> = {}): SegmentContent => ({
  source: 'none',
  items: [],
  total: 0,
  counts,
  summary: {},
});
