import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { DAY, toDate } from '../../shared/clock.ts';
import { toChange, type LoggedChange } from './logged-change.ts';
import { monthAfter, monthOf } from './month.ts';
import { newestOf, type Cursor } from './newest-read-model.ts';
import { clockChanges, type Clocks } from './wall-days.ts';

/** In milliseconds since 1970: from the first on, and before the second. */
export interface ActivityRange {
  from: number;
  until: number;
}

/** How often something of one type happened on a site. */
export interface TypeCount {
  siteId: number;
  type: string;
  /** How often within the range: entries, and counts of the months that lie in it. */
  count: number;
  /** How many of these still are entries; of the others only the count is left. */
  kept: number;
  /** Counts of months that reach beyond the range. How much of them lies in it is not known, so `count` has none. */
  uncertain: number;
}

export interface DayCount {
  /** `2026-11-21`, as clocks on the wall name it. */
  day: string;
  count: number;
}

interface CountRow {
  site_id: number;
  type: string;
  month: number | null;
  n: number | string;
}

interface DayRow {
  day: number | string;
  n: number | string;
}

/** A statement holds as many parts as either database takes. */
const PARTS_A_STATEMENT = 400;
const PAGE = 500;

/** What happened on sites within a time, as reports count and list it. */
export class ActivityReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * How often each type happened, in one statement. Months are those of UTC and days those of somebody's clock: a month
   * counts as within the range when it reaches beyond by less than a day.
   */
  async counted(siteIds: readonly number[], range: ActivityRange): Promise<TypeCount[]> {
    const counts = new Map<string, TypeCount>();
    for (const ids of chunks(siteIds, IDS_A_STATEMENT))
      for (const { site_id: siteId, type, month, n } of await this.#counts(ids, range)) {
        const key = JSON.stringify([siteId, type]);
        const count = counts.get(key) ?? { siteId, type, count: 0, kept: 0, uncertain: 0 };
        counts.set(key, count);
        if (month === null) count.kept += Number(n);
        if (month === null || isWithin(Number(month), range)) count.count += Number(n);
        else count.uncertain += Number(n);
      }
    return [...counts.values()].sort((a, b) => a.siteId - b.siteId || (a.type < b.type ? -1 : 1));
  }

  async #counts(siteIds: readonly number[], { from, until }: ActivityRange): Promise<CountRow[]> {
    const entries = this.#knex('changes')
      .whereIn('site_id', siteIds)
      .where('at', '>=', from)
      .where('at', '<', until)
      .groupBy('site_id', 'type')
      .select('site_id', 'type', this.#knex.raw('null as month'))
      .count({ n: '*' });
    const months = this.#knex('change_counts')
      .whereIn('site_id', siteIds)
      .where('month', '>=', monthOf(from + DAY))
      .where('month', '<', until - DAY)
      .groupBy('site_id', 'type', 'month')
      .select('site_id', 'type', 'month')
      .sum({ n: 'count' });
    return (await this.#knex.unionAll([entries, months])) as never;
  }

  /** The newest so many of each group of types on each site, in one statement; for each group the newest first. */
  async newest(
    siteIds: readonly number[],
    range: ActivityRange,
    groups: readonly (readonly string[])[],
    limit: number,
  ): Promise<LoggedChange[][]> {
    const changesByGroup: LoggedChange[][] = groups.map(() => []);
    const asked = siteIds.flatMap((siteId) => groups.map((types, group) => ({ siteId, group, types })));
    const parts = asked.filter(({ types }) => types.length > 0);
    for (const some of chunks(parts, PARTS_A_STATEMENT)) {
      const rows = await newestOf(this.#knex, some, { ...range, limit });
      for (const row of rows) changesByGroup[Number(row.part_group)]?.push(toChange(row));
    }
    return changesByGroup.map((changes) => changes.sort((a, b) => b.at - a.at || b.id - a.id));
  }

  /** All of these types on a site, the newest first; a page of them is in memory at a time. */
  async *stream(siteId: number, range: ActivityRange, types: readonly string[]): AsyncGenerator<LoggedChange> {
    if (types.length === 0) return;
    let after: Cursor | undefined;
    for (;;) {
      const window = { ...range, limit: PAGE, ...(after && { after }) };
      const rows = await newestOf(this.#knex, [{ siteId, group: 0, types }], window);
      const page = rows.map(toChange).sort((a, b) => b.at - a.at || b.id - a.id);
      yield* page;
      after = page.at(-1);
      if (page.length < PAGE || !after) return;
    }
  }

  /**
   * How many entries of all sites together each day of the range has, in one statement; all types, or these. Where only
   * counts by month are left, the days have none.
   */
  async countedByDay(
    siteIds: readonly number[],
    range: ActivityRange,
    zone: Clocks,
    types?: readonly string[],
  ): Promise<DayCount[]> {
    const spans = clockChanges(range, zone);
    const days = new Map<string, number>();
    for (const { from, until, offset } of spans)
      for (let day = from + offset; day < until + offset; day += DAY - (((day % DAY) + DAY) % DAY))
        days.set(toDate(day), 0);
    for (const ids of chunks(siteIds, IDS_A_STATEMENT)) {
      const parts = spans.map((span) => this.#daysOf(ids, span, types));
      const rows = (await this.#knex.unionAll(parts)) as DayRow[];
      for (const { day, n } of rows) {
        const name = toDate(Number(day));
        days.set(name, (days.get(name) ?? 0) + Number(n));
      }
    }
    return [...days].map(([day, count]) => ({ day, count }));
  }

  #daysOf(
    siteIds: readonly number[],
    { from, until, offset }: ActivityRange & { offset: number },
    types: readonly string[] | undefined,
  ): Knex.QueryBuilder {
    const query = this.#knex('changes').whereIn('site_id', siteIds).where('at', '>=', from).where('at', '<', until);
    if (types) void query.whereIn('type', types);
    const day = `at + ${offset} - (at + ${offset}) % ${DAY}`;
    return query
      .groupByRaw(day)
      .select(this.#knex.raw(`${day} as day`))
      .count({ n: '*' });
  }
}

const isWithin = (month: number, { from, until }: ActivityRange): boolean =>
  month >= from - DAY && monthAfter(month, 1) <= until + DAY;
