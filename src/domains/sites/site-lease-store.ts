import type { Knex } from 'knex';
import { isDuplicate } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';

export type LeasePurpose = 'register' | 'update';

export class SiteLeaseStore {
  readonly #knex: Knex;
  readonly #purpose: LeasePurpose;

  constructor(knex: Knex, purpose: LeasePurpose) {
    this.#knex = knex;
    this.#purpose = purpose;
  }

  async take(siteId: number, holder: string, now: number, until: number): Promise<boolean> {
    const key = { site_id: siteId, purpose: this.#purpose };
    const row = { holder, leased_until: until };
    try {
      await inTransaction(this.#knex, ({ trx }) => trx('site_leases').insert({ ...key, ...row }));
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const abandoned = await this.#knex('site_leases').where(key).where('leased_until', '<', now).update(row);
    return abandoned === 1;
  }

  async renew(siteId: number, holder: string, until: number): Promise<void> {
    await this.#held(siteId, holder).update({ leased_until: until });
  }

  async release(siteId: number, holder: string): Promise<void> {
    await this.#held(siteId, holder).delete();
  }

  async clear(): Promise<void> {
    await this.#knex('site_leases').where({ purpose: this.#purpose }).delete();
  }

  #held(siteId: number, holder: string): Knex.QueryBuilder {
    return this.#knex('site_leases').where({ site_id: siteId, purpose: this.#purpose, holder });
  }
}
