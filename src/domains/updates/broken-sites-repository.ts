import type { Knex } from 'knex';
import { fromJson, toJson } from '../../db/json.ts';
import type { BrokenByUpdate } from '../sites/index.ts';

/** Which sites an update has broken, as their own state keeps it. */
export class BrokenSitesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteId: number): Promise<BrokenByUpdate | null> {
    const row = await this.#db('site_states')
      .where({ site_id: siteId })
      .first<{ broken_by_update: string | null } | undefined>('broken_by_update');
    return fromJson<BrokenByUpdate>(row?.broken_by_update ?? null);
  }

  async put(siteId: number, mark: BrokenByUpdate): Promise<void> {
    await this.#db('site_states')
      .where({ site_id: siteId })
      .update({ broken_by_update: toJson(mark) });
  }

  async clear(siteId: number): Promise<void> {
    await this.#db('site_states')
      .where({ site_id: siteId })
      .whereNotNull('broken_by_update')
      .update({ broken_by_update: null });
  }
}
