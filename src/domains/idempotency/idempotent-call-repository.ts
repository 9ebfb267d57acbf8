import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';

/** `secret` if the response is not stored, because it contains a secret. */
export type CallState = 'running' | 'answered' | 'secret';

interface CallRow {
  key_hash: string;
  fingerprint: string;
  holder: string;
  state: CallState;
  leased_until: number;
  answer: string | null;
  created_at: number;
}

export interface IdempotentCall {
  fingerprint: string;
  holder: string;
  state: CallState;
  leasedUntil: number;
  answer: string | null;
}

const toCall = (row: CallRow): IdempotentCall => ({
  fingerprint: row.fingerprint,
  holder: row.holder,
  state: row.state,
  leasedUntil: row.leased_until,
  answer: row.answer,
});

export class IdempotentCallRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(keyHash: string, call: Omit<IdempotentCall, 'state' | 'answer'>, now: number): Promise<void> {
    const { fingerprint, holder, leasedUntil } = call;
    const row = {
      key_hash: keyHash,
      fingerprint,
      holder,
      state: 'running',
      leased_until: leasedUntil,
      created_at: now,
    };
    await this.#db('idempotent_calls').insert(row).onConflict('key_hash').ignore();
  }

  async find(keyHash: string): Promise<IdempotentCall | null> {
    const row = await this.#db<CallRow>('idempotent_calls').where({ key_hash: keyHash }).first();
    return row ? toCall(row) : null;
  }

  async takeOver(keyHash: string, from: string, holder: string, leasedUntil: number, now: number): Promise<boolean> {
    const taken = await this.#db('idempotent_calls')
      .where({ key_hash: keyHash, holder: from, state: 'running' })
      .where('leased_until', '<=', now)
      .update({ holder, leased_until: leasedUntil });
    return taken === 1;
  }

  /** `holders` maps key hashes to the IDs with which this process holds calls. Skips calls that were taken over. */
  async renew(holders: ReadonlyMap<string, string>, leasedUntil: number): Promise<void> {
    await this.#db('idempotent_calls')
      .whereIn('key_hash', [...holders.keys()])
      // Each call has its own holder, so this need not compare pairs of hash and holder.
      .whereIn('holder', [...holders.values()])
      .where({ state: 'running' })
      .update({ leased_until: leasedUntil });
  }

  async expireAllBut(holders: readonly string[]): Promise<void> {
    await this.#db('idempotent_calls')
      .where({ state: 'running' })
      .whereNotIn('holder', [...holders])
      .update({ leased_until: 0 });
  }

  async settle(keyHash: string, holder: string, state: CallState, answer: string | null): Promise<void> {
    await this.#db('idempotent_calls').where({ key_hash: keyHash, holder }).update({ state, answer });
  }

  /** Ends the lease of a running call, so that it counts as interrupted. */
  async endLease(keyHash: string, holder: string): Promise<void> {
    await this.#db('idempotent_calls').where({ key_hash: keyHash, holder }).update({ leased_until: 0 });
  }

  async delete(keyHash: string, holder: string): Promise<void> {
    await this.#db('idempotent_calls').where({ key_hash: keyHash, holder }).delete();
  }

  async deleteOne(keyHash: string, before: number): Promise<void> {
    await this.#db('idempotent_calls').where({ key_hash: keyHash }).where('created_at', '<', before).delete();
  }

  purge(before: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'idempotent_calls', key: ['key_hash'], column: 'created_at', before });
  }
}
