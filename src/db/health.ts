import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Clock } from '../shared/clock.ts';
import { migrationStatus } from './migrations/index.ts';

/** How long whoever asks is kept waiting for the database. */
const LIMIT_MS = 1000;
/** An answer as young as this is given again, so that asking often costs nothing. */
const FRESH_MS = 1000;

/** Whether the database can be written, as an orchestrator asks every few seconds. */
export class DatabaseHealth {
  readonly #knex: Knex;
  readonly #clock: Clock;
  /** One look at a time: a database that does not answer is asked once. */
  #look: Promise<string | null> | null = null;
  #begun = 0;
  #last: { reason: string | null; at: number } | null = null;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  /** What is the matter with it; null when all is well. */
  async reason(): Promise<string | null> {
    const now = this.#clock.now();
    if (this.#last && now - this.#last.at < FRESH_MS) return this.#last.reason;
    if (!this.#look) {
      this.#begun = now;
      this.#look = this.#lookNow().finally(() => (this.#look = null));
    }
    const waiting = new AbortController();
    const tooLate = sleep(Math.max(0, this.#begun + LIMIT_MS - now), 'It does not answer.', { signal: waiting.signal });
    try {
      return await Promise.race([this.#look, tooLate.catch(() => null)]);
    } finally {
      waiting.abort();
    }
  }

  async #lookNow(): Promise<string | null> {
    const reason = await this.#tryOut().catch((error: unknown) => {
      const { cause } = error as { cause?: { code?: string } };
      return `It cannot be written${cause?.code ? ` (${cause.code})` : ''}.`;
    });
    this.#last = { reason, at: this.#clock.now() };
    return reason;
  }

  async #tryOut(): Promise<string | null> {
    const missing = (await migrationStatus(this.#knex)).filter(({ applied }) => !applied);
    if (missing.length > 0) return `${missing.length} migrations are missing.`;
    // A real write: a full disk and a read-only file let everything else through.
    const value = String(this.#clock.now());
    await this.#knex('self_checks').insert({ name: 'last_write', value }).onConflict('name').merge(['value']);
    return null;
  }
}
