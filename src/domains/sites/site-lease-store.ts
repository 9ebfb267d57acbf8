import type { Knex } from 'knex';
import { databaseTimeSql } from '../../db/database-clock.ts';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';

export type LeasePurpose = 'register' | 'update' | 'action' | 'pin';

export interface SiteLeaseStoreOptions {
  knex: Knex;
  clock: Clock;
  purpose: LeasePurpose;
  leaseMs: number;
}

export async function isSiteLeased(knex: Knex, clock: Clock, siteId: number, purpose: LeasePurpose): Promise<boolean> {
  const current = knex('site_leases').where({ site_id: siteId, purpose });
  const row = await current
    .where('leased_until', '>=', databaseTimeSql(knex, clock))
    .first<object | undefined>('site_id');
  return row !== undefined;
}

export class SiteLeaseStore {
  readonly #options: SiteLeaseStoreOptions;

  constructor(options: SiteLeaseStoreOptions) {
    this.#options = options;
  }

  async take(siteId: number, holder: string): Promise<boolean> {
    const { knex, clock, purpose } = this.#options;
    const key = { site_id: siteId, purpose };
    const row = { holder, leased_until: this.#until() };
    try {
      await inTransaction(knex, ({ trx }) => trx('site_leases').insert({ ...key, ...row }));
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const expired = knex('site_leases').where(key).where('leased_until', '<', databaseTimeSql(knex, clock));
    return (await expired.update(row)) === 1;
  }

  async renew(siteId: number, holder: string): Promise<boolean> {
    const { knex } = this.#options;
    const renewed = await this.#held(knex, siteId, holder).update({ leased_until: this.#until() });
    return renewed === 1;
  }

  async lock(trx: Knex.Transaction, siteId: number, holder: string): Promise<boolean> {
    const rows = await lockForUpdate(trx, this.#held(trx, siteId, holder).select<object[]>('site_id'));
    return rows.length === 1;
  }

  async release(siteId: number, holder: string): Promise<void> {
    await this.#held(this.#options.knex, siteId, holder).delete();
  }

  async expireAll(): Promise<void> {
    const { knex, purpose } = this.#options;
    await knex('site_leases').where({ purpose }).update({ leased_until: 0 });
  }

  #held(db: Knex, siteId: number, holder: string): Knex.QueryBuilder {
    return db('site_leases').where({ site_id: siteId, purpose: this.#options.purpose, holder });
  }

  #until(): Knex.Raw {
    const { knex, clock, leaseMs } = this.#options;
    return databaseTimeSql(knex, clock, leaseMs);
  }
}
