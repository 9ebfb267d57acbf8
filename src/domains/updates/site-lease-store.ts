import type { Knex } from 'knex';
import { isDuplicate } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';

/** Who holds the lease of which site, for all processes on one database. */
export class SiteLeaseStore {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** False while somebody else holds the lease. */
  async take(siteId: number, holder: string, now: number, until: number): Promise<boolean> {
    const row = { holder, leased_until: until };
    try {
      await inTransaction(this.#knex, ({ trx }) => trx('site_turns').insert({ site_id: siteId, ...row }));
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const abandoned = await this.#knex('site_turns')
      .where({ site_id: siteId })
      .where('leased_until', '<', now)
      .update(row);
    return abandoned === 1;
  }

  async renew(siteId: number, holder: string, until: number): Promise<void> {
    await this.#knex('site_turns').where({ site_id: siteId, holder }).update({ leased_until: until });
  }

  async release(siteId: number, holder: string): Promise<void> {
    await this.#knex('site_turns').where({ site_id: siteId, holder }).delete();
  }

  async clear(): Promise<void> {
    await this.#knex('site_turns').delete();
  }
}
