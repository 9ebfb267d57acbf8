import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Caller } from '../../shared/caller.ts';
import { DAY, SECOND, type Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { KeyUsageReadModel, type KeyUsageDay, type KeyUsageFilter } from './key-usage-read-model.ts';
import { KeyUsageRepository, type KeyUsageCount } from './key-usage-repository.ts';

export interface KeyUsageDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  writeEveryMs?: number;
}

const WRITE_EVERY = 10 * SECOND;
const KEPT_DAYS = 90;

/**
 * Counts the calls of API keys by day and operation. Counts are kept in memory and added to the database in batches, so
 * that a call costs no SQL statement. A process that is killed loses the counts of the last ten seconds.
 */
export class KeyUsage {
  static readonly MAX_COUNTS = 20_000;
  readonly #deps: KeyUsageDeps;
  #counts = new Map<string, KeyUsageCount>();
  #lastWrite: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: KeyUsageDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { writeEveryMs = WRITE_EVERY } = this.#deps;
    this.#timer = setInterval(() => void this.write(), writeEveryMs).unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.write();
  }

  record(caller: Caller, operation: string, status: number): void {
    const { keyId } = caller;
    if (keyId === null) return;
    const day = Math.floor(this.#deps.clock.now() / DAY);
    this.#add({ keyId, day, operation, calls: 1, errors: status >= 400 ? 1 : 0 });
  }

  write(): Promise<void> {
    this.#lastWrite = this.#lastWrite.then(() => this.#write());
    return this.#lastWrite;
  }

  /** Includes the calls that this process has just counted. Those of other processes follow within ten seconds. */
  async days(keyId: number, filter: KeyUsageFilter, request: PageRequest): Promise<Page<KeyUsageDay>> {
    await this.write();
    return new KeyUsageReadModel(this.#deps.knex).days(keyId, filter, request);
  }

  prune(): Promise<number> {
    const today = Math.floor(this.#deps.clock.now() / DAY);
    return new KeyUsageRepository(this.#deps.knex).deleteOldest(today - KEPT_DAYS);
  }

  #add({ keyId, day, operation, calls, errors }: KeyUsageCount): void {
    const place = `${keyId} ${day} ${operation}`;
    const known = this.#counts.get(place);
    if (known) {
      known.calls += calls;
      known.errors += errors;
    } else if (this.#counts.size < KeyUsage.MAX_COUNTS) {
      this.#counts.set(place, { keyId, day, operation, calls, errors });
    }
  }

  async #write(): Promise<void> {
    const counts = [...this.#counts.values()].sort(byPrimaryKey);
    this.#counts = new Map();
    for (const some of chunks(counts)) {
      try {
        await inTransaction(this.#deps.knex, ({ trx }) => new KeyUsageRepository(trx).add(some));
      } catch (error) {
        this.#deps.logger.warn({ err: error }, 'the use of API keys could not be stored yet');
        for (const count of some) this.#add(count);
      }
    }
  }
}

/** All processes write rows in the same order, so that they cannot deadlock. */
const byPrimaryKey = (one: KeyUsageCount, other: KeyUsageCount): number =>
  one.keyId - other.keyId || one.day - other.day || (one.operation < other.operation ? -1 : 1);
