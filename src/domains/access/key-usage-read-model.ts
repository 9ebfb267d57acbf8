import type { Knex } from 'knex';
import { limitToPage } from '../../db/page-limit.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';

export interface OperationUsage {
  operation: string;
  calls: number;
  errors: number;
}

export interface KeyUsageDay {
  /** Number of days since 1970, in UTC. */
  day: number;
  calls: number;
  errors: number;
  /** Most calls first. */
  operations: OperationUsage[];
}

export interface KeyUsageFilter {
  /** First and last day, counted as in `KeyUsageDay`. Null if there is no limit. */
  from: number | null;
  to: number | null;
}

interface UsageRow {
  day: number;
  operation: string;
  calls: number;
  errors: number;
}

export class KeyUsageReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async days(keyId: number, filter: KeyUsageFilter, request: PageRequest): Promise<Page<KeyUsageDay>> {
    const [counted] = await this.#usage(keyId, filter).countDistinct<{ days: number }[]>({ days: 'day' });
    const days = await this.#usage(keyId, filter)
      .groupBy('day')
      .orderBy('day', 'desc')
      .modify(limitToPage, request)
      .pluck<number[]>('day');
    const rows = await this.#usage(keyId, filter)
      .whereIn('day', days)
      .orderBy([{ column: 'calls', order: 'desc' }, { column: 'operation' }])
      .select<UsageRow[]>('day', 'operation', 'calls', 'errors');
    const items = days.map((day) =>
      toUsageDay(
        day,
        rows.filter((row) => row.day === day),
      ),
    );
    return { ...request, items, total: Number(counted?.days ?? 0) };
  }

  #usage(keyId: number, { from, to }: KeyUsageFilter): Knex.QueryBuilder {
    const query = this.#db('key_usage').where({ key_id: keyId });
    if (from !== null) void query.where('day', '>=', from);
    if (to !== null) void query.where('day', '<=', to);
    return query;
  }
}

const toUsageDay = (day: number, rows: readonly UsageRow[]): KeyUsageDay => ({
  day,
  calls: rows.reduce((sum, { calls }) => sum + calls, 0),
  errors: rows.reduce((sum, { errors }) => sum + errors, 0),
  operations: rows.map(({ operation, calls, errors }) => ({ operation, calls, errors })),
});
