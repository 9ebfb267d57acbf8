import type { Knex } from 'knex';

export interface UserCreation {
  siteId: number;
  username: string;
  itemId: number;
}

/** Stores, before a user is sent to a site, which job item sends it. */
export class UserCreationStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** `logPosition` is the ID of the newest change log entry before the call. */
  async begin({ siteId, username, itemId }: UserCreation, logPosition: number): Promise<void> {
    await this.#db('user_creations')
      .insert({ site_id: siteId, username: username.toLowerCase(), item_id: itemId, log_position: logPosition })
      .onConflict(['site_id', 'username'])
      .merge(['item_id', 'log_position']);
  }

  /**
   * Returns the log position before the last call that sent this user. Null if the call was not made by this item, nor
   * by one that ended without knowing its effect, which this item then repeats.
   */
  async logPosition({ siteId, username, itemId }: UserCreation): Promise<number | null> {
    const row = await this.#db('user_creations')
      .join('job_items', 'job_items.id', 'user_creations.item_id')
      .where({ 'user_creations.site_id': siteId, username: username.toLowerCase() })
      .where((either) => void either.where({ item_id: itemId }).orWhere('job_items.state', 'unknown'))
      .first<{ log_position: number | string } | undefined>('log_position');
    return row ? Number(row.log_position) : null;
  }
}
