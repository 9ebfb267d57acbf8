import type { Knex } from 'knex';
import { fromJson, toJson } from '../../db/json.ts';
import type { BrokenByUpdate } from '../sites/index.ts';

export class BrokenSitesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteId: number): Promise<BrokenByUpdate | null> {
    return (await this.ofSites([siteId])).get(siteId) ?? null;
  }

  async ofSites(siteIds: readonly number[]): Promise<Map<number, BrokenByUpdate>> {
    const rows = await this.#db('site_states')
      .whereIn('site_id', [...siteIds])
      .whereNotNull('broken_by_update')
      .select<{ site_id: number; broken_by_update: string }[]>('site_id', 'broken_by_update');
    return new Map(
      rows.flatMap(({ site_id, broken_by_update }) => {
        const mark = fromJson<BrokenByUpdate>(broken_by_update);
        return mark ? [[site_id, mark]] : [];
      }),
    );
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
