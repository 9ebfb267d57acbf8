import type { Knex } from 'knex';

export class WhoisServerRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Returns undefined if the root server was not asked after `since`, and null if the TLD has no server. */
  async find(tld: string, since: number): Promise<string | null | undefined> {
    const row = await this.#db('whois_servers')
      .where({ tld })
      .where('found_at', '>', since)
      .first<{ host: string | null } | undefined>('host');
    return row?.host;
  }

  async save(tld: string, host: string | null, foundAt: number): Promise<void> {
    const columns = { host, found_at: foundAt };
    await this.#db('whois_servers')
      .insert({ tld, ...columns })
      .onConflict('tld')
      .merge(columns);
  }
}
