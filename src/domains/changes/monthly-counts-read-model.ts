import type { Knex } from 'knex';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { MonthlyCount } from './change-count-repository.ts';
import { monthStartOf, resolveMonthRange } from './utc-months.ts';

type MonthlyCountRow = Omit<MonthlyCount, 'month'> & { at: number };

export class MonthlyCountsReadModel {
  readonly #knex: Knex;
  readonly #clock: Clock;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async ofSite(siteId: number, months: Parameters<typeof resolveMonthRange>[0]): Promise<MonthlyCount[]> {
    const { from, until } = resolveMonthRange(months, this.#clock.now());
    const span = [from, until - 1] as const;
    const [kept, rolledUp] = await Promise.all([
      this.#knex('changes')
        .where({ site_id: siteId })
        .whereBetween('at', span)
        .groupByRaw('at - at % ?, source, type', [DAY])
        .select<MonthlyCountRow[]>(this.#knex.raw('at - at % ? as at', [DAY]), 'source', 'type')
        .count<MonthlyCountRow[]>({ count: '*' }),
      this.#knex('change_counts')
        .where({ site_id: siteId })
        .whereBetween('month', span)
        .select<MonthlyCountRow[]>({ at: 'month' }, 'source', 'type', 'count'),
    ]);
    const counts = new Map<string, MonthlyCount>();
    for (const { at, source, type, count } of [...kept, ...rolledUp]) {
      const month = monthStartOf(Number(at));
      const key = JSON.stringify([month, source, type]);
      counts.set(key, { month, source, type, count: (counts.get(key)?.count ?? 0) + Number(count) });
    }
    return [...counts.values()].sort(newestFirst);
  }
}

const newestFirst = (a: MonthlyCount, b: MonthlyCount): number =>
  b.month - a.month || compare(a.type, b.type) || compare(a.source, b.source);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
