import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForClaim } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { ALERT_TYPES, type AlertFacts, type AlertType } from './alert-types.ts';
import type { Alert, AlertedSite } from './alert.ts';

/** `raisedAt` is in milliseconds since 1970. */
export type WaitingAlert = Alert & { id: number; raisedAt: number };

interface AlertRow {
  id: number;
  type: AlertType;
  alert_key: string;
  site: string;
  facts: string;
  raised_at: number;
}

export class AlertRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async add(alerts: readonly Alert[], raisedAt: number): Promise<void> {
    const rows = alerts.map(({ type, key, site, facts }) => ({
      type,
      alert_key: key,
      site_id: site?.id ?? null,
      site: toJson(site),
      facts: toJson(facts),
      raised_at: raisedAt,
    }));
    for (const some of chunks(rows)) await this.#db('alerts').insert(some).onConflict('alert_key').ignore();
  }

  async existsAny(keys: readonly string[]): Promise<boolean> {
    return (
      (await this.#db('alerts')
        .whereIn('alert_key', [...keys])
        .first('id')) !== undefined
    );
  }

  async findFacts<Type extends AlertType>(key: string): Promise<AlertFacts[Type] | null> {
    const row = await this.#db('alerts').where({ alert_key: key }).first<{ facts: string } | undefined>('facts');
    return row ? fromJson<AlertFacts[Type]>(row.facts) : null;
  }

  async hasWaiting(): Promise<boolean> {
    return (await this.#waiting().first('id')) !== undefined;
  }

  /**
   * Returns the oldest waiting alerts, locked until the transaction ends. Skips those that another process has locked.
   */
  async claimWaiting(most: number): Promise<WaitingAlert[]> {
    const rows = (await lockForClaim(
      this.#db,
      this.#waiting().orderBy('id').limit(most).select('id', 'type', 'alert_key', 'site', 'facts', 'raised_at'),
    )) as AlertRow[];
    return rows.map((row) => ({
      id: row.id,
      raisedAt: row.raised_at,
      type: row.type,
      key: row.alert_key,
      site: fromJson<AlertedSite>(row.site),
      facts: fromJson<AlertFacts[AlertType]>(row.facts) as AlertFacts[AlertType],
    }));
  }

  /** Leaves out alerts of types that only a later release knows. They wait until that release runs again. */
  #waiting(): Knex.QueryBuilder {
    return this.#db('alerts').whereNull('handled_at').whereIn('type', ALERT_TYPES);
  }

  /** Stores that alerts were processed. `mailId` is null if mails of this type are disabled. */
  async markHandled(ids: readonly number[], mailId: number | null, now: number): Promise<void> {
    for (const chunk of chunks(ids, IDS_A_STATEMENT))
      await this.#db('alerts').whereIn('id', chunk).update({ handled_at: now, mail_id: mailId });
  }

  deleteHandled(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'alerts', column: 'handled_at', before, most });
  }
}
