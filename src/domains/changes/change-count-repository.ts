import type { Knex } from 'knex';
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

export interface RolledUpChanges {
  deleted: number;
  /** Time of the newest deleted change. */
  lastAt: number;
}

export class ChangeCountRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Replaces at most `limit` changes with counts, oldest first. A change without a site is deleted without being
   * counted. Changes before `from` are not searched: MariaDB reads deleted rows again until it has purged them.
   */
  async rollUp(before: number, limit: number, from = 0): Promise<RolledUpChanges> {
    const oldest = this.#db('changes').where('at', '>=', from).where('at', '<', before).orderBy('at').limit(limit);
    const rows = await lockForUpdate(
      this.#db,
      oldest.select<ExpiredChangeRow[]>('id', 'site_id', 'source', 'type', 'at'),
    );
    await this.#add(countChangesByMonth(rows));
    const ids = rows.map(({ id }) => Number(id));
    const deleted = await new ChangeRepository(this.#db).delete(ids, before);
    return { deleted, lastAt: Number(rows.at(-1)?.at ?? from) };
  }

  /** Writes one statement, because a statement takes much longer than its rows. */
  async #add(counts: readonly SiteMonthlyCount[]): Promise<void> {
    if (counts.length === 0) return;
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
