import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';

export interface RateLimitState {
  askedAt: number;
  closedUntil: number;
  busyUntil: number;
}

const NEVER_ASKED: RateLimitState = { askedAt: 0, closedUntil: 0, busyUntil: 0 };

export class RegistryRateLimitRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Creates the row of a registry. Do not call this in the transaction that locks the row: it could deadlock (see
   * `DomainRepository.ensure`).
   */
  async ensure(host: string): Promise<void> {
    const known = await this.#db('registry_gates').where({ host }).first<{ host: string } | undefined>('host');
    if (known) return;
    const { askedAt: asked_at, closedUntil: closed_until, busyUntil: busy_until } = NEVER_ASKED;
    await this.#db('registry_gates').insert({ host, asked_at, closed_until, busy_until }).onConflict('host').ignore();
  }

  find(host: string): Promise<RateLimitState> {
    return readState(this.#db('registry_gates').where({ host }));
  }

  lock(host: string): Promise<RateLimitState> {
    return readState(lockForUpdate(this.#db, this.#db('registry_gates').where({ host })));
  }

  async save(host: string, { askedAt, closedUntil, busyUntil }: RateLimitState): Promise<void> {
    const row = { asked_at: askedAt, closed_until: closedUntil, busy_until: busyUntil };
    await this.#db('registry_gates').where({ host }).update(row);
  }
}

async function readState(query: Knex.QueryBuilder): Promise<RateLimitState> {
  const row = await query.first<{ asked_at: number; closed_until: number; busy_until: number } | undefined>(
    'asked_at',
    'closed_until',
    'busy_until',
  );
  if (!row) return NEVER_ASKED;
  return {
    askedAt: Number(row.asked_at),
    closedUntil: Number(row.closed_until),
    busyUntil: Number(row.busy_until),
  };
}
