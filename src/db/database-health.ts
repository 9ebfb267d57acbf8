import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRecent, type Clock } from '../shared/clock.ts';
import { migrationStatus } from './migrations/index.ts';

const MAX_WAIT_MS = 1000;
const MAX_RESULT_AGE_MS = 1000;

interface RunningCheck {
  begun: number;
  result: Promise<string | null>;
  isReadable: boolean;
}

/**
 * Checks that the database accepts writes. Orchestrators such as Kubernetes ask every few seconds, so a result is
 * reused for one second.
 */
export class DatabaseHealth {
  readonly #knex: Knex;
  readonly #clock: Clock;
  /** There is only one check at a time, so a database that does not respond gets only one write. */
  #check: RunningCheck | null = null;
  #last: { problem: string | null; at: number } | null = null;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async reason(): Promise<string | null> {
    const now = this.#clock.now();
    if (this.#last && isRecent(this.#last.at, now, MAX_RESULT_AGE_MS)) return this.#last.problem;
    const check = (this.#check ??= this.#beginCheck(now));
    const waiting = new AbortController();
    // If the clock was set back after the check began, the difference is too large, so the wait is limited.
    const wait = Math.min(MAX_WAIT_MS, Math.max(0, check.begun + MAX_WAIT_MS - now));
    const tooLate = sleep(wait, undefined, { signal: waiting.signal }).then(
      () => this.#unfinishedResult(check),
      () => null,
    );
    try {
      return await Promise.race([check.result, tooLate]);
    } finally {
      waiting.abort();
    }
  }

  /**
   * A write also waits while a long transaction is the only writer of the SQLite file. Such a database is busy and not
   * broken if it answers reads, so the last result still holds. The statement or the wait for a connection times out
   * if the write stays blocked, and that is the next result.
   */
  #unfinishedResult({ isReadable }: RunningCheck): string | null {
    return isReadable ? (this.#last?.problem ?? null) : 'The database does not answer.';
  }

  #beginCheck(begun: number): RunningCheck {
    const result = this.#runCheck().finally(() => (this.#check = null));
    const check = { begun, result, isReadable: false };
    this.#testRead().then(
      () => (check.isReadable = true),
      // The write test reports the error.
      () => undefined,
    );
    return check;
  }

  async #runCheck(): Promise<string | null> {
    const reason = await this.#testWrite().catch((error: unknown) => {
      const { cause } = error as { cause?: { code?: string } };
      return `The database cannot be written${cause?.code ? ` (${cause.code})` : ''}.`;
    });
    this.#last = { problem: reason, at: this.#clock.now() };
    return reason;
  }

  /** On SQLite, reads outside transactions have their own connection and do not wait for writers. */
  async #testRead(): Promise<void> {
    await this.#knex('self_checks').first('name');
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
