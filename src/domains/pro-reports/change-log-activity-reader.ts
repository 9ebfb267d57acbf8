import type { ActivityRange, ActivityReadModel, LoggedChange, ChangeTypeCount } from '../changes/index.ts';
import type { SegmentName } from './segment-names.ts';
import type { ReportSourcesQuery, SegmentChangeTypes } from './report-sources-query.ts';

export interface SegmentActivity {
  /** Newest first. Filtered by the action of the query, if any. */
  newest: LoggedChange[];
  total: number;
  /** Includes all actions, even if the query has one. */
  counts: Record<string, number>;
}

export class ChangeLogActivityReader {
  readonly #log: ActivityReadModel;
  readonly #query: ReportSourcesQuery;
  #counted: Promise<ChangeTypeCount[]> | null = null;
  #counts: Promise<ReadonlyMap<string, ChangeTypeCount>> | null = null;
  #newest: Promise<ReadonlyMap<string, LoggedChange[]>> | null = null;

  constructor(log: ActivityReadModel, query: ReportSourcesQuery) {
    this.#log = log;
    this.#query = query;
  }

  async of(siteId: number, segment: SegmentChangeTypes): Promise<SegmentActivity> {
    const [counts, newest] = await Promise.all([(this.#counts ??= this.#count()), (this.#newest ??= this.#read())]);
    const ofTypes = (types: readonly string[]): ChangeTypeCount[] =>
      types.flatMap((type) => counts.get(countKey(siteId, type)) ?? []);
    const actions = Object.entries(segment.changes ?? {});
    return {
      newest: newest.get(newestKey(siteId, segment.name)) ?? [],
      total: ofTypes(this.#typesOf(segment)).reduce((sum, { kept }) => sum + kept, 0),
      counts: Object.fromEntries(
        actions.map(([action, types]) => [action, ofTypes(types).reduce((sum, { count }) => sum + count, 0)]),
      ),
    };
  }

  stream(siteId: number, segment: SegmentChangeTypes): AsyncIterable<LoggedChange> {
    return this.#log.stream(siteId, this.#range(), this.#typesOf(segment));
  }

  async #count(): Promise<ReadonlyMap<string, ChangeTypeCount>> {
    const counts = await this.#countedOnce();
    return new Map(counts.map((count) => [countKey(count.siteId, count.type), count]));
  }

  #countedOnce(): Promise<ChangeTypeCount[]> {
    return (this.#counted ??= this.#log.counted(this.#ids(), this.#range()));
  }

  async #read(): Promise<ReadonlyMap<string, LoggedChange[]>> {
    const { segments, maxItems } = this.#query;
    const logSegments = segments.filter(({ changes }) => changes);
    const groups = logSegments.map((segment) => this.#typesOf(segment));
    const counts = await this.#countedOnce();
    const changesByGroup = await this.#log.newest(this.#ids(), this.#range(), groups, maxItems, counts);
    const newest = new Map<string, LoggedChange[]>();
    for (const [index, { name }] of logSegments.entries())
      for (const change of changesByGroup[index] ?? []) {
        const key = newestKey(change.siteId ?? 0, name);
        const known = newest.get(key);
        if (known) known.push(change);
        else newest.set(key, [change]);
      }
    return newest;
  }

  #typesOf({ changes = {} }: SegmentChangeTypes): readonly string[] {
    const { action } = this.#query;
    return action === undefined ? Object.values(changes).flat() : (changes[action] ?? []);
  }

  #range(): ActivityRange {
    const { range, sinceKnown = false } = this.#query;
    return { from: range.from, until: range.until, sinceAdded: sinceKnown };
  }

  #ids(): number[] {
    return this.#query.sites.map(({ id }) => id);
  }
}

const countKey = (siteId: number, type: string): string => `${siteId} ${type}`;
const newestKey = (siteId: number, name: SegmentName): string => `${siteId} ${name}`;
