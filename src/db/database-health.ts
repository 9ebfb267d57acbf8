import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRecent, type Clock } from '../shared/clock.ts';
import { migrationStatus } from './migrations/index.ts';

const MAX_WAIT_MS = 1000;
const MAX_RESULT_AGE_MS = 1000;

/**
 * Checks that the database accepts writes. Orchestrators such as Kubernetes ask every few seconds, so a result is
 * reused for one second.
 */
export class DatabaseHealth {
  readonly #knex: Knex;
  readonly #clock: Clock;
  /** The running check. There is only one at a time, so a database that does not respond gets only one request. */
  #check: Promise<string | null> | null = null;
  #begun = 0;
  #last: { problem: string | null; at: number } | null = null;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async reason(): Promise<string | null> {
    const now = this.#clock.now();
    if (this.#last && isRecent(this.#last.at, now, MAX_RESULT_AGE_MS)) return this.#last.problem;
    if (!this.#check) {
      this.#begun = now;
      this.#check = this.#runCheck().finally(() => (this.#check = null));
    }
    const waiting = new AbortController();
    // If the clock was set back after the check began, the difference is too large, so the wait is limited.
    const wait = Math.min(MAX_WAIT_MS, Math.max(0, this.#begun + MAX_WAIT_MS - now));
    const tooLate = sleep(wait, 'The database does not answer.', {
      signal: waiting.signal,
    });
    try {
      return await Promise.race([this.#check, tooLate.catch(() => null)]);
    } finally {
      waiting.abort();
    }
  }

  async #runCheck(): Promise<string | null> {
    const reason = await this.#testWrite().catch((error: unknown) => {
      const { cause } = error as { cause?: { code?: string } };
      return `The database cannot be written${cause?.code ? ` (${cause.code})` : ''}.`;
    });
    this.#last = { problem: reason, at: this.#clock.now() };
    return reason;
  }

  async #testWrite(): Promise<string | null> {
    const missing = (await migrationStatus(this.#knex)).filter(({ applied }) => !applied);
    if (missing.length > 0) return `${missing.length} migrations are missing.`;
    // Writes a row, because a full disk and a read-only file cause errors only on writes.
    const value = String(this.#clock.now());
    await this.#knex('self_checks').insert({ name: 'last_write', value }).onConflict('name').merge(['value']);
    return null;
  }
}
