import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForClaim } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import type { Alert, AlertedSite, AlertFacts, AlertType } from './alert.ts';

/** An alert that nobody was told of yet. */
export type WaitingAlert = Alert & { id: number };

interface AlertRow {
  id: number;
  type: AlertType;
  alert_key: string;
  site: string;
  facts: string;
}

/** Alerts that were raised, until a mail tells of them. */
export class AlertRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** What was raised before stays as it was. */
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

  /** The oldest that wait, held until the end of the transaction; what another process holds is passed over. */
  async claimWaiting(most: number): Promise<WaitingAlert[]> {
    const rows = (await lockForClaim(
      this.#db,
      this.#db('alerts')
        .whereNull('handled_at')
        .orderBy('id')
        .limit(most)
        .select('id', 'type', 'alert_key', 'site', 'facts'),
    )) as AlertRow[];
    return rows.map((row) => ({
      id: row.id,
      type: row.type,
      key: row.alert_key,
      site: fromJson<AlertedSite>(row.site),
      facts: fromJson<AlertFacts[AlertType]>(row.facts) as AlertFacts[AlertType],
    }));
  }

  /** Nobody is told of them again; `mailId` is null where nobody wants to be told. */
  async handled(ids: readonly number[], mailId: number | null, now: number): Promise<void> {
    for (const chunk of chunks(ids, IDS_A_STATEMENT))
      await this.#db('alerts').whereIn('id', chunk).update({ handled_at: now, mail_id: mailId });
  }

  /** Drops some of those that were told of before `before`. */
  deleteHandled(before: number, most: number): Promise<number> {
    return deleteOldest(() => this.#db('alerts'), { column: 'handled_at', before, most });
  }
}
