import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { lockForUpdate } from '../../db/dialect.ts';

const KEY = ['site_id', 'source'];

export const CHILD_SOURCE = 'child';

export interface KnownBackup {
  takenAt: number;
  /** Null if a backup plugin on the site made the backup. */
  provider: string | null;
}

export class BackupRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async latest(siteIds: readonly number[]): Promise<Map<number, number>> {
    if (siteIds.length === 0) return new Map();
    const rows = await this.#db('site_backups')
      .whereIn('site_id', [...siteIds])
      .groupBy('site_id')
      .select<{ site_id: number; taken_at: number | string }[]>('site_id', this.#db.raw('max(taken_at) as taken_at'));
    return new Map(rows.map(({ site_id, taken_at }) => [site_id, Number(taken_at)]));
  }

  async known(siteIds: readonly number[]): Promise<Map<number, KnownBackup[]>> {
    const known = new Map<number, KnownBackup[]>();
    for (const chunk of chunks(siteIds, IDS_A_STATEMENT)) {
      const rows = await this.#db('site_backups')
        .whereIn('site_id', chunk)
        .orderBy([{ column: 'taken_at', order: 'desc' }, 'source'])
        .select<{ site_id: number; source: string; taken_at: number | string }[]>('site_id', 'source', 'taken_at');
      for (const { site_id, source, taken_at } of rows) {
        const provider = source === CHILD_SOURCE ? null : source;
        known.set(site_id, [...(known.get(site_id) ?? []), { takenAt: Number(taken_at), provider }]);
      }
    }
    return known;
  }

  async put(source: string, takenAt: ReadonlyMap<number, number>): Promise<void> {
    // All writers insert in the order of IDs, so that two of them cannot deadlock.
    const rows = [...takenAt]
      .sort(([left], [right]) => left - right)
      .map(([siteId, at]) => ({ site_id: siteId, source, taken_at: at }));
    for (const chunk of chunks(rows)) {
      await this.#db('site_backups').insert(chunk).onConflict(KEY).ignore();
      const stored = await lockForUpdate(
        this.#db,
        this.#db('site_backups')
          .where({ source })
          .whereIn(
            'site_id',
            chunk.map(({ site_id }) => site_id),
          )
          .select<{ site_id: number; taken_at: number | string }[]>('site_id', 'taken_at'),
      );
      const known = new Map(stored.map(({ site_id, taken_at }) => [site_id, Number(taken_at)]));
      const newer = chunk.filter(({ site_id, taken_at }) => taken_at > (known.get(site_id) ?? Infinity));
      if (newer.length > 0) await this.#db('site_backups').insert(newer).onConflict(KEY).merge(['taken_at']);
    }
  }
}
