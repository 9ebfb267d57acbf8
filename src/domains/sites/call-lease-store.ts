import type { Knex } from 'knex';
import { databaseTimeText } from '../../db/database-clock.ts';
import { isDuplicate, isMissingReference } from '../../db/dialect.ts';
import { readPrepared, writePrepared } from '../../db/prepared.ts';
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
    const [until, now] = [this.#until(), databaseTimeText(knex, clock)];
    const sql = `update site_call_leases set holder = ?, leased_until = ${until.text}
      where site_id = ? and leased_until < ${now.text}`;
    if ((await writePrepared(knex, sql, [holder, until.binding, siteId, now.binding])) === 1) return true;
    const known = await readPrepared(knex, 'select site_id from site_call_leases where site_id = ?', [siteId]);
    return known.length === 0 && this.#insert(siteId, holder);
  }

  async renew(siteId: number, holder: string): Promise<boolean> {
    const { text, binding } = this.#until();
    return (await this.#updateHeld(siteId, holder, text, binding)) === 1;
  }

  async release(siteId: number, holder: string): Promise<void> {
    await this.#updateHeld(siteId, holder, '?', 0);
  }

  async #insert(siteId: number, holder: string): Promise<boolean> {
    const { text, binding } = this.#until();
    const sql = `insert into site_call_leases (site_id, holder, leased_until) values (?, ?, ${text})`;
    try {
      await writePrepared(this.#options.knex, sql, [siteId, holder, binding]);
      return true;
    } catch (error) {
      if (isMissingReference(error)) throw siteNotFound();
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  #updateHeld(siteId: number, holder: string, until: string, binding: number): Promise<number> {
    const sql = `update site_call_leases set leased_until = ${until} where site_id = ? and holder = ?`;
    return writePrepared(this.#options.knex, sql, [binding, siteId, holder]);
  }

  #until(): { text: string; binding: number } {
    const { knex, clock, leaseMs } = this.#options;
    return databaseTimeText(knex, clock, leaseMs);
  }
}
