import type { Knex } from 'knex';

/** WHOIS servers that the root told of. */
export class WhoisServerRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Undefined when it was not asked since then; null when there is none. */
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
