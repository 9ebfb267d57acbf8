import type { Knex } from 'knex';

export interface RdapBootstrapMetadata {
  url: string;
  etag: string | null;
  /** Time of the last load, or of the last request that found no change. Milliseconds since 1970. */
  loadedAt: number;
}

const ONLY = 1;

export class RdapBootstrapRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(): Promise<RdapBootstrapMetadata | null> {
    const row = await this.#db('rdap_bootstrap')
      .where({ id: ONLY })
      .first<{ url: string; etag: string | null; loaded_at: number } | undefined>('url', 'etag', 'loaded_at');
    return row ? { url: row.url, etag: row.etag, loadedAt: Number(row.loaded_at) } : null;
  }

  async body(): Promise<string | null> {
    const row = await this.#db('rdap_bootstrap').where({ id: ONLY }).first<{ body: string } | undefined>('body');
    return row?.body ?? null;
  }

  async save({ url, etag, loadedAt }: RdapBootstrapMetadata, body: string): Promise<void> {
    const columns = { url, etag, loaded_at: loadedAt, body };
    await this.#db('rdap_bootstrap')
      .insert({ id: ONLY, ...columns })
      .onConflict('id')
      .merge(columns);
  }

  async confirm(loadedAt: number): Promise<void> {
    await this.#db('rdap_bootstrap').where({ id: ONLY }).update({ loaded_at: loadedAt });
  }
}
