import type { Knex } from 'knex';
import { DatabaseUnavailableError } from '../shared/errors.ts';
import { nextEventLoopTurn } from '../shared/event-loop.ts';
import { isTransient, maxConcurrentWriters } from './dialect.ts';
import { bumpRevision, type RevisionSubject } from './revisions.ts';
import { inTransaction } from './transaction.ts';

/**
 * Stores some items in a transaction. It runs again after a conflict with another writer, as in `inTransaction`.
 * Returns the revision subjects that it has changed.
 */
export type SharedWork<Item> = (trx: Knex.Transaction, items: readonly Item[]) => Promise<Iterable<RevisionSubject>>;

interface QueuedItem<Item> {
  item: Item;
  size: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Maximum size of all items in a transaction; a larger item has its own. More would hold the only connection of an
 * SQLite database for longer, and save little: for 16 items, begin and commit cost less than one item.
 */
const MAX_SIZE = 16;
const GATHER_MS = 50;

export interface SharedTransactionsOptions {
  /**
   * Returns how many further items will be added soon. While the number is above 0, a transaction waits for 16 items,
   * but no longer than `gatherMs`, because a transaction of few items costs nearly as much as one of many. Default: 0.
   */
  expected?: () => number;
  gatherMs?: number;
}

export interface SharedTransactionsParts<Item> {
  work: SharedWork<Item>;
  /** Returns how many usual items the work on this item is worth. Default: 1. */
  sizeOf?: (item: Item) => number;
}

/**
 * Stores all items that wait at the same time together in one transaction, and increments each revision only once. If
 * the transaction fails, each item gets a transaction of its own, so that only the item that fails is rejected. If the
 * database is not available, all waiting items are rejected.
 */
export class SharedTransactions<Item> {
  readonly #knex: Knex;
  readonly #work: SharedWork<Item>;
  readonly #sizeOf: (item: Item) => number;
  readonly #waiting: QueuedItem<Item>[] = [];
  readonly #expected: () => number;
  readonly #gatherMs: number;
  #free: number;
  #stopGathering: (() => void) | null = null;

  constructor(
    knex: Knex,
    { work, sizeOf = () => 1 }: SharedTransactionsParts<Item>,
    { expected = () => 0, gatherMs = GATHER_MS }: SharedTransactionsOptions = {},
  ) {
    this.#knex = knex;
    this.#work = work;
    this.#sizeOf = sizeOf;
    this.#expected = expected;
    this.#gatherMs = gatherMs;
    this.#free = maxConcurrentWriters(knex);
  }

  run(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, size: this.#sizeOf(item), resolve, reject });
      if (this.#stopGathering) {
        if (this.#isComplete()) this.#stopGathering();
      } else if (this.#free > 0) void this.#write();
    });
  }

  alone(item: Item): Promise<void> {
    return this.#inTransaction([item]);
  }

  async #write(): Promise<void> {
    this.#free -= 1;
    for (;;) {
      // Other tasks of the process run first, and may add more items.
      await nextEventLoopTurn();
      // If another call of `#write` is gathering items, that call takes all waiting items.
      if (this.#waiting.length === 0 || this.#stopGathering) break;
      if (!this.#isComplete()) await this.#gather();
      await this.#runTogether();
    }
    this.#free += 1;
  }

  #isComplete(): boolean {
    return this.#expected() === 0 || sum(this.#waiting) >= MAX_SIZE;
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
    // Taken before the transaction begins, so that the items are rejected if the database has no free connection.
    const tooMany = this.#waiting.findIndex((_each, at) => at > 0 && sum(this.#waiting.slice(0, at + 1)) > MAX_SIZE);
    const taken = this.#waiting.splice(0, tooMany === -1 ? this.#waiting.length : tooMany);
    try {
      await this.#inTransaction(taken.map(({ item }) => item));
    } catch (error) {
      return this.#afterFailure(taken, error);
    }
    for (const { resolve } of taken) resolve();
  }

  #inTransaction(items: readonly Item[]): Promise<void> {
    return inTransaction(this.#knex, async ({ trx }) => {
      const subjects = new Set(await this.#work(trx, items));
      if (subjects.size > 0) await bumpRevision(trx, ...subjects);
    });
  }

  async #afterFailure(taken: readonly QueuedItem<Item>[], error: unknown): Promise<void> {
    // A conflict that remains after all retries concerns the rows of one item. Any other `DatabaseUnavailableError`
    // concerns the whole database.
    const isAway = error instanceof DatabaseUnavailableError && !isTransient(error.cause);
    const failed = isAway ? [...taken, ...this.#waiting.splice(0)] : taken;
    if (isAway || taken.length === 1) return failed.forEach(({ reject }) => reject(error));
    for (const { item, resolve, reject } of taken) await this.alone(item).then(resolve, reject);
  }
}

const sum = (items: readonly { size: number }[]): number => items.reduce((total, { size }) => total + size, 0);
