import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { chunks } from '../../db/chunks.ts';
import type { Clock } from '../../shared/clock.ts';
import type { MonthlyCount } from './change-count-repository.ts';
import { resolveMonthRange, startOfMonthAfter } from './utc-months.ts';

/**
 * Maximum number of months in a statement. Other statements wait for it, and one month of a busy site takes several
 * milliseconds.
 */
const MONTHS_A_STATEMENT = 3;

type MonthlyCountRow = Omit<MonthlyCount, 'month'> & { month: number | string };

export class MonthlyCountsReadModel {
  readonly #knex: Knex;
  readonly #clock: Clock;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async ofSite(siteId: number, months: Parameters<typeof resolveMonthRange>[0]): Promise<MonthlyCount[]> {
    const { from, until } = resolveMonthRange(months, this.#clock.now());
    const starts: number[] = [];
    for (let month = from; month < until; month = startOfMonthAfter(month, 1)) starts.push(month);
    const rows = await this.#knex('change_counts')
      .where({ site_id: siteId })
      .whereBetween('month', [from, until - 1])
      .select<MonthlyCountRow[]>('month', 'source', 'type', 'count');
    for (const some of chunks(starts, MONTHS_A_STATEMENT))
      rows.push(
        ...((await longRead(
          this.#knex.unionAll(some.map((month) => this.#countsOf(siteId, month))),
        )) as MonthlyCountRow[]),
      );
    const counts = new Map<string, MonthlyCount>();
    for (const { month: start, source, type, count } of rows) {
      const month = Number(start);
      const key = JSON.stringify([month, source, type]);
      counts.set(key, { month, source, type, count: (counts.get(key)?.count ?? 0) + Number(count) });
    }
    return [...counts.values()].sort(newestFirst);
  }

  /** Selects by the start and end of the month, so that the database reads the index and computes nothing per row. */
  #countsOf(siteId: number, month: number): Knex.QueryBuilder {
    return this.#knex('changes')
      .where({ site_id: siteId })
      .where('at', '>=', month)
      .where('at', '<', startOfMonthAfter(month, 1))
      .groupBy('source', 'type')
      .select(this.#knex.raw('? as month', [month]), 'source', 'type')
      .count({ count: '*' });
  }
}

const newestFirst = (a: MonthlyCount, b: MonthlyCount): number =>
  b.month - a.month || compare(a.type, b.type) || compare(a.source, b.source);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
