import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { DAY, toDate } from '../../shared/clock.ts';
import { CHANGE_COLUMNS, toChange, type ListedRow, type LoggedChange } from './logged-change.ts';
import { startOfMonthAfter, monthStartOf } from './utc-months.ts';
import { readNewestChanges, type ChangeCursor } from './newest-changes-read-model.ts';
import { splitAtOffsetChanges, type UtcOffsets } from './utc-offsets.ts';

/** Times are milliseconds since 1970. `from` is included, `until` is not. */
export interface ActivityRange {
  from: number;
  until: number;
  /** True to omit changes from before the site was added to the service. The log of a child plugin can have them. */
  sinceAdded?: boolean;
}

export interface ChangeTypeCount {
  siteId: number;
  type: string;
  /** Number of changes in the range: stored entries plus monthly counts, which have replaced older entries. */
  count: number;
  /** Number of these changes whose entries are still stored. */
  kept: number;
  /** Number of changes in months that are only partly in the range. They are not part of `count`. */
  uncertain: number;
}

export interface DailyChangeCount {
  day: string;
  count: number;
}

interface ChangeTypeCountRow {
  site_id: number;
  type: string;
  month: number | null;
  n: number | string;
}

interface DailyChangeCountRow {
  day: number | string;
  n: number | string;
}

/**
 * Maximum number of `union all` parts in a statement. More parts save no time, and other statements would wait for a
 * longer statement.
 */
const PARTS_A_STATEMENT = 30;
const PAGE = 500;

export class ActivityReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * Counts changes by site and type. Stored months are UTC months, while the range has local days. So a month counts as
   * inside the range if it exceeds the range by at most a day.
   */
  async counted(siteIds: readonly number[], range: ActivityRange): Promise<ChangeTypeCount[]> {
    const counts = new Map<string, ChangeTypeCount>();
    for (const ids of chunks(siteIds))
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

  async #counts(
    siteIds: readonly number[],
    { from, until, sinceAdded = false }: ActivityRange,
  ): Promise<ChangeTypeCountRow[]> {
    const entries = this.#knex('changes')
      .whereIn('site_id', siteIds)
      // The `+` keeps SQLite from using the index by time, with which it would have to sort all rows by their type.
      .whereRaw('+at >= ? and +at < ?', [from, until])
      .modify(addedSites, 'changes', 'at', sinceAdded)
      .groupBy('site_id', 'type')
      .select('site_id', 'type', this.#knex.raw('null as month'))
      .count({ n: '*' });
    const months = this.#knex('change_counts')
      .whereIn('site_id', siteIds)
      .where('month', '>=', monthStartOf(from + DAY))
      .where('month', '<', until - DAY)
      .modify(addedSites, 'change_counts', 'month', sinceAdded)
      .groupBy('site_id', 'type', 'month')
      .select('site_id', 'type', 'month')
      .sum({ n: 'count' });
    return (await longRead(this.#knex.unionAll([entries, months]))) as never;
  }

  /**
   * Returns the entries of each group of types, newest first, at most `limit` per group and site. With `counts`, the
   * result of `counted` for the range, one statement reads several sites with few entries, in a tenth of the time.
   */
  async newest(
    siteIds: readonly number[],
    range: ActivityRange,
    groups: readonly (readonly string[])[],
    limit: number,
    counts: readonly ChangeTypeCount[] | null = null,
  ): Promise<LoggedChange[][]> {
    const changesByGroup: LoggedChange[][] = groups.map(() => []);
    const { few, others } = splitByEntries(siteIds, counts);
    for (const ids of few) {
      const rows = await this.#allOf(ids, range, groups.flat());
      const changes = sortNewestFirst(rows.map(toChange));
      for (const [group, types] of groups.entries())
        changesByGroup[group]?.push(...firstOfSites(changes, new Set(types), limit));
    }
    const asked = others.flatMap((siteId) => groups.map((types, group) => ({ siteId, group, types })));
    const parts = asked.filter(({ types }) => types.length > 0);
    // All parts of a site are in one statement. So most statements have the same text and are prepared only once.
    const partsASite = Math.max(1, parts.length / others.length);
    const size = Math.max(1, Math.floor(PARTS_A_STATEMENT / partsASite)) * partsASite;
    for (const some of chunks(parts, size)) {
      const rows = await readNewestChanges(this.#knex, some, { ...range, limit });
      for (const row of rows) changesByGroup[Number(row.part_group)]?.push(toChange(row));
    }
    return changesByGroup.map(sortNewestFirst);
  }

  async #allOf(
    siteIds: readonly number[],
    { from, until, sinceAdded = false }: ActivityRange,
    types: readonly string[],
  ): Promise<ListedRow[]> {
    return this.#knex('changes')
      .whereIn('site_id', siteIds)
      .whereIn('type', types)
      .where('at', '>=', from)
      .where('at', '<', until)
      .modify(addedSites, 'changes', 'at', sinceAdded)
      .select<ListedRow[]>(...CHANGE_COLUMNS);
  }

  async *stream(siteId: number, range: ActivityRange, types: readonly string[]): AsyncGenerator<LoggedChange> {
    if (types.length === 0) return;
    let after: ChangeCursor | undefined;
    for (;;) {
      const window = { ...range, limit: PAGE, ...(after && { after }) };
      const rows = await readNewestChanges(this.#knex, [{ siteId, group: 0, types }], window);
      const page = rows.map(toChange).sort((a, b) => b.at - a.at || b.id - a.id);
      yield* page;
      after = page.at(-1);
      if (page.length < PAGE || !after) return;
    }
  }

  /** A day has the count 0 if the count of its month has replaced its entries. Default of `types`: all types. */
  async countedByDay(
    siteIds: readonly number[],
    range: ActivityRange,
    zone: UtcOffsets,
    types?: readonly string[],
  ): Promise<DailyChangeCount[]> {
    const spans = splitAtOffsetChanges(range, zone);
    const days = new Map<string, number>();
    for (const { from, until, offset } of spans)
      for (let day = from + offset; day < until + offset; day += DAY - (((day % DAY) + DAY) % DAY))
        days.set(toDate(day), 0);
    for (const ids of chunks(siteIds, IDS_A_STATEMENT)) {
      const parts = spans.map((span) => this.#daysOf(ids, span, types));
      const rows = (await longRead(this.#knex.unionAll(parts))) as DailyChangeCountRow[];
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

/**
 * Groups sites into lists that have few entries together. Sites with many entries are in `others`; sites without
 * entries are left out.
 */
function splitByEntries(
  siteIds: readonly number[],
  counts: readonly ChangeTypeCount[] | null,
): { few: number[][]; others: readonly number[] } {
  if (!counts) return { few: [], others: siteIds };
  const entries = new Map<number, number>();
  for (const { siteId, kept } of counts) entries.set(siteId, (entries.get(siteId) ?? 0) + kept);
  const few: number[][] = [];
  const others: number[] = [];
  let room = 0;
  for (const siteId of siteIds) {
    const count = entries.get(siteId) ?? 0;
    if (count === 0) continue;
    if (count > PAGE) others.push(siteId);
    else if (count > room) {
      few.push([siteId]);
      room = PAGE - count;
    } else {
      few.at(-1)?.push(siteId);
      room -= count;
    }
  }
  return { few, others };
}

const sortNewestFirst = (changes: LoggedChange[]): LoggedChange[] => changes.sort((a, b) => b.at - a.at || b.id - a.id);

function firstOfSites(changes: readonly LoggedChange[], types: ReadonlySet<string>, limit: number): LoggedChange[] {
  const countBySite = new Map<number | null, number>();
  return changes.filter(({ siteId, type }) => {
    if (!types.has(type)) return false;
    const count = (countBySite.get(siteId) ?? 0) + 1;
    countBySite.set(siteId, count);
    return count <= limit;
  });
}

const isWithin = (month: number, { from, until }: ActivityRange): boolean =>
  month >= from - DAY && startOfMonthAfter(month, 1) <= until + DAY;

function addedSites(rows: Knex.QueryBuilder, table: string, time: string, sinceAdded: boolean): void {
  if (sinceAdded)
    rows.whereRaw('+?? >= (select created_at from sites where sites.id = ??)', [
      `${table}.${time}`,
      `${table}.site_id`,
    ]);
}
