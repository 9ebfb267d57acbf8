import type { Knex } from 'knex';
import { databaseTimeSql } from '../../db/database-clock.ts';
import { isDuplicate, isMissingReference } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { siteNotFound } from './site.ts';

interface CallLeaseStoreOptions {
  knex: Knex;
  clock: Clock;
  leaseMs: number;
}

export class CallLeaseStore {
  readonly #options: CallLeaseStoreOptions;

  constructor(options: CallLeaseStoreOptions) {
    this.#options = options;
  }

  /** Returns false while another holder has the lease. Throws `svc_site_not_found`. */
  async take(siteId: number, holder: string): Promise<boolean> {
    const { knex, clock } = this.#options;
    const row = { holder, leased_until: this.#until() };
    const free = knex('site_call_leases').where({ site_id: siteId });
    if ((await free.where('leased_until', '<', databaseTimeSql(knex, clock)).update(row)) === 1) return true;
    const known = await knex('site_call_leases').where({ site_id: siteId }).first<object | undefined>('site_id');
    return known === undefined && this.#insert({ site_id: siteId, ...row });
  }

  async renew(siteId: number, holder: string): Promise<boolean> {
    return (await this.#held(siteId, holder).update({ leased_until: this.#until() })) === 1;
  }

  async release(siteId: number, holder: string): Promise<void> {
    await this.#held(siteId, holder).update({ leased_until: 0 });
  }

  async #insert(row: object): Promise<boolean> {
    try {
      await inTransaction(this.#options.knex, ({ trx }) => trx('site_call_leases').insert(row));
      return true;
    } catch (error) {
      if (isMissingReference(error)) throw siteNotFound();
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  #held(siteId: number, holder: string): Knex.QueryBuilder {
    return this.#options.knex('site_call_leases').where({ site_id: siteId, holder });
  }

  #until(): Knex.Raw {
    const { knex, clock, leaseMs } = this.#options;
    return databaseTimeSql(knex, clock, leaseMs);
  }
}
