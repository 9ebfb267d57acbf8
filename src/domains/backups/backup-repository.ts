import type { Knex } from 'knex';

/** When each site was last backed up, by what tells of it. Times are milliseconds since 1970. */
export class BackupRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The newest backup of each site that has one, whatever its source; one statement. */
  async latest(siteIds: readonly number[]): Promise<Map<number, number>> {
    if (siteIds.length === 0) return new Map();
    const rows = await this.#db('site_backups')
      .whereIn('site_id', [...siteIds])
      .groupBy('site_id')
      .select<{ site_id: number; taken_at: number | string }[]>('site_id', this.#db.raw('max(taken_at) as taken_at'));
    return new Map(rows.map(({ site_id, taken_at }) => [site_id, Number(taken_at)]));
  }

  /** Of one source the newest time stays, in whatever order they are told. */
  async put(siteId: number, source: string, takenAt: number): Promise<void> {
    const row = { site_id: siteId, source, taken_at: takenAt };
    await this.#db('site_backups').insert(row).onConflict(['site_id', 'source']).ignore();
    await this.#db('site_backups')
      .where({ site_id: siteId, source })
      .where('taken_at', '<', takenAt)
      .update({ taken_at: takenAt });
  }
}
