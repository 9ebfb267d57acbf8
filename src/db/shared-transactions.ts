import type { Knex } from 'knex';
import { DatabaseUnavailableError } from '../shared/errors.ts';
import { endLongTurn, nextEventLoopTurn } from '../shared/event-loop.ts';
import { isTransient, maxConcurrentWriters } from './dialect.ts';
import { bumpRevision, type RevisionSubject } from './revisions.ts';
import { inTransaction } from './transaction.ts';

/**
 * Work in a transaction. It runs again after a conflict with another writer, as in `inTransaction`. Returns the
 * revision subjects that it has changed.
 */
export type SharedWork = (trx: Knex.Transaction) => Promise<Iterable<RevisionSubject>>;

interface QueuedWork {
  work: SharedWork;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const MOST = 16;
const LONGEST_MS = 40;
const GATHER_MS = 50;

export interface SharedTransactionsOptions {
  /**
   * Returns how many further works will be added soon. While the number is above 0, a transaction waits for 16 works,
   * but no longer than `gatherMs`, because its begin and commit take as long as many statements. Default: 0.
   */
  expected?: () => number;
  gatherMs?: number;
  /**
   * Time after which a transaction starts no further work, because it holds the only connection of a SQLite database.
   * Default: 40 ms.
   */
  longestMs?: number;
}

/**
 * Runs all works that wait at the same time together in one transaction, and increments each revision only once. If the
 * transaction fails, each work runs in a transaction of its own, so that only the work that fails is rejected. If the
 * database is not available, all waiting works are rejected.
 */
export class SharedTransactions {
  readonly #knex: Knex;
  readonly #waiting: QueuedWork[] = [];
  readonly #expected: () => number;
  readonly #gatherMs: number;
  readonly #longestMs: number;
  #free: number;
  #stopGathering: (() => void) | null = null;

  constructor(
    knex: Knex,
    { expected = () => 0, gatherMs = GATHER_MS, longestMs = LONGEST_MS }: SharedTransactionsOptions = {},
  ) {
    this.#knex = knex;
    this.#expected = expected;
    this.#gatherMs = gatherMs;
    this.#longestMs = longestMs;
    this.#free = maxConcurrentWriters(knex);
  }

  run(work: SharedWork): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#stopGathering) {
        if (this.#isComplete()) this.#stopGathering();
      } else if (this.#free > 0) void this.#write();
    });
  }

  alone(work: SharedWork): Promise<void> {
    return inTransaction(this.#knex, async ({ trx }) => bump(trx, new Set(await work(trx))));
  }

  async #write(): Promise<void> {
    this.#free -= 1;
    for (;;) {
      // Other tasks of the process run first, and may add more work.
      await nextEventLoopTurn();
      // If another call of `#write` is gathering work, that call takes all waiting work.
      if (this.#waiting.length === 0 || this.#stopGathering) break;
      if (!this.#isComplete()) await this.#gather();
      await this.#runTogether();
    }
    this.#free += 1;
  }

  #isComplete(): boolean {
    return this.#waiting.length >= MOST || this.#expected() === 0;
  }

  async #gather(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#gatherMs);
      this.#stopGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#stopGathering = null;
  }

  async #runTogether(): Promise<void> {
    // The first work is taken before the transaction begins, so that it is rejected if the database has no free
    // connection.
    const taken = this.#waiting.splice(0, 1);
    try {
      await inTransaction(this.#knex, async ({ trx }) => {
        const began = performance.now();
        const subjects = new Set<RevisionSubject>();
        const mayTake = (): boolean => taken.length < MOST && performance.now() - began < this.#longestMs;
        for (let at = 0; ; at += 1) {
          // If the transaction is repeated, it starts with the works that it has already taken.
          const next = taken[at] ?? (mayTake() ? this.#waiting.shift() : undefined);
          if (!next) break;
          if (at === taken.length) taken.push(next);
          await endLongTurn();
          for (const subject of await next.work(trx)) subjects.add(subject);
        }
        await bump(trx, subjects);
      });
    } catch (error) {
      return this.#afterFailure(taken, error);
    }
    for (const { resolve } of taken) resolve();
  }

  async #afterFailure(taken: readonly QueuedWork[], error: unknown): Promise<void> {
    // A conflict that remains after all retries concerns the rows of one work. Any other `DatabaseUnavailableError`
    // concerns the whole database.
    const isAway = error instanceof DatabaseUnavailableError && !isTransient(error.cause);
    const failed = isAway ? [...taken, ...this.#waiting.splice(0)] : taken;
    if (isAway || taken.length === 1) return failed.forEach(({ reject }) => reject(error));
    for (const { work, resolve, reject } of taken) await this.alone(work).then(resolve, reject);
  }
}

const bump = async (trx: Knex.Transaction, subjects: ReadonlySet<RevisionSubject>): Promise<void> => {
  if (subjects.size > 0) await bumpRevision(trx, ...subjects);
};
