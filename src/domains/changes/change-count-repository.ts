import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { isMysql, lockForUpdate } from '../../db/dialect.ts';
import { ChangeRepository, type ChangeSource } from './change-repository.ts';
import { monthStartOf } from './utc-months.ts';

export interface MonthlyCount {
  /** Start of the month in UTC, in milliseconds since 1970. */
  month: number;
  source: ChangeSource;
  type: string;
  count: number;
}

type SiteMonthlyCount = MonthlyCount & { siteId: number };

interface ExpiredChangeRow {
  id: number;
  site_id: number | null;
  source: ChangeSource;
  type: string;
  at: number;
}

export class ChangeCountRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Replaces at most `limit` changes with counts, oldest first, and returns their number. A change without a site is
   * deleted without being counted.
   */
  async rollUp(before: number, limit: number): Promise<number> {
    const oldest = this.#db('changes').where('at', '<', before).orderBy('at').limit(limit);
    const rows = await lockForUpdate(
      this.#db,
      oldest.select<ExpiredChangeRow[]>('id', 'site_id', 'source', 'type', 'at'),
    );
    for (const counts of chunks(countChangesByMonth(rows))) await this.#add(counts);
    return new ChangeRepository(this.#db).delete(
      rows.map(({ id }) => Number(id)),
      before,
    );
  }

  async #add(counts: readonly SiteMonthlyCount[]): Promise<void> {
    const added = this.#db.raw(isMysql(this.#db) ? 'values(??)' : 'excluded.??', ['count']);
    await this.#db('change_counts')
      .insert(counts.map(({ siteId, ...count }) => ({ site_id: siteId, ...count })))
      .onConflict(['site_id', 'month', 'source', 'type'])
      .merge({ count: this.#db.raw('?? + ?', ['change_counts.count', added]) });
  }
}

function countChangesByMonth(rows: readonly ExpiredChangeRow[]): SiteMonthlyCount[] {
  const counts = new Map<string, SiteMonthlyCount>();
  for (const { site_id: siteId, source, type, at } of rows) {
    if (siteId === null) continue;
    const month = monthStartOf(Number(at));
    const key = JSON.stringify([siteId, month, source, type]);
    const known = counts.get(key) ?? { siteId, month, source, type, count: 0 };
    counts.set(key, { ...known, count: known.count + 1 });
  }
  return [...counts.values()];
}
