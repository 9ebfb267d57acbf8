import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';

/** When a registry may be asked. Times are milliseconds since 1970. */
export interface GateRow {
  /** When it was last asked. */
  askedAt: number;
  /** A pause that it asked for. */
  closedUntil: number;
  /** Until when questions have been put off. */
  busyUntil: number;
}

const NEVER_ASKED: GateRow = { askedAt: 0, closedUntil: 0, busyUntil: 0 };

/** The gates of the registries, built from the database or from a transaction. */
export class RegistryGateRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Gives a registry its row. Not in the transaction that locks it: who was late to insert holds a shared lock on the
   * row, and two of them would wait for each other.
   */
  async ensure(host: string): Promise<void> {
    const known = await this.#db('registry_gates').where({ host }).first<{ host: string } | undefined>('host');
    if (known) return;
    const { askedAt: asked_at, closedUntil: closed_until, busyUntil: busy_until } = NEVER_ASKED;
    await this.#db('registry_gates').insert({ host, asked_at, closed_until, busy_until }).onConflict('host').ignore();
  }

  /** Held until the transaction ends. */
  async lock(host: string): Promise<GateRow> {
    const row = await lockForUpdate(this.#db, this.#db('registry_gates').where({ host })).first<
      { asked_at: number; closed_until: number; busy_until: number } | undefined
    >('asked_at', 'closed_until', 'busy_until');
    if (!row) return NEVER_ASKED;
    return {
      askedAt: Number(row.asked_at),
      closedUntil: Number(row.closed_until),
      busyUntil: Number(row.busy_until),
    };
  }

  async save(host: string, { askedAt, closedUntil, busyUntil }: GateRow): Promise<void> {
    const row = { asked_at: askedAt, closed_until: closedUntil, busy_until: busyUntil };
    await this.#db('registry_gates').where({ host }).update(row);
  }
}
