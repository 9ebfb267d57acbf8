import type { Knex } from 'knex';
import { toJson } from '../../db/json.ts';
import type { ItemOnSite } from './site-item.ts';

/** State that a job item stores before it sends a package to a site. */
export interface SentInstall {
  packageId: number;
  before: ItemOnSite | null;
  /** ID of the newest change log entry before the call. */
  logPosition: number;
}

export interface StoredInstall extends SentInstall {
  /**
   * Time at which the call ended without a clear result. Null until then: if a later attempt finds null, the
   * process died during the call.
   */
  unclearSince: number | null;
}

export class InstallStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(itemId: number): Promise<StoredInstall | null> {
    const row = await this.#db('package_installs')
      .where({ item_id: itemId })
      .first<{ plan: string; unclear_since: number | string | null } | undefined>('plan', 'unclear_since');
    if (!row) return null;
    const unclearSince = row.unclear_since === null ? null : Number(row.unclear_since);
    return { ...(JSON.parse(row.plan) as SentInstall), unclearSince };
  }

  /** Stores the state before the first attempt. A later attempt does not replace it. */
  async begin(itemId: number, sent: SentInstall): Promise<void> {
    await this.#db('package_installs')
      .insert({ item_id: itemId, plan: toJson(sent), unclear_since: null })
      .onConflict('item_id')
      .ignore();
  }

  async markUnclear(itemId: number, since: number): Promise<void> {
    await this.#db('package_installs').where({ item_id: itemId }).update({ unclear_since: since });
  }
}
