import type { Knex } from 'knex';
import { toJson } from '../../db/json.ts';
import type { Alert } from './alert.ts';

/** Alerts that were raised, until a mail tells of them. */
export class AlertRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** One that was raised before stays as it was. */
  async add({ type, key, site, facts }: Alert, raisedAt: number): Promise<void> {
    await this.#db('alerts')
      .insert({ type, alert_key: key, site_id: site.id, site: toJson(site), facts: toJson(facts), raised_at: raisedAt })
      .onConflict('alert_key')
      .ignore();
  }
}
