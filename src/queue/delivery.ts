import { EventEmitter } from 'node:events';
import { SECOND, type Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { loop } from '../shared/loop.ts';
import type { JobStore } from './job-store.ts';
import type { LeasedItem } from './job.ts';

export const ROWS_OUT_OF_REACH = 'the queue could not reach its rows; it tries again';

/** Whoever works on what is delivered. */
export interface Taker {
  /** How many items more it takes now. */
  room(): number;
  take(items: readonly LeasedItem[]): void;
}

/**
 * Says which items may be begun now, and leases them to this process. What it says is no more than a hint of when to
 * look: the rows alone tell what is to be done, and only who holds an item's lease may begin it.
 */
export interface Delivery {
  start(taker: Taker): void;
  /** Items may begin at `at`, or now unless given: a job was queued, an item was postponed, or there is room again. */
  announce(at?: number): void;
  /** Delivers nothing more; what was leased too late is given back. */
  stop(): Promise<void>;
}

export interface SweepOptions {
  store: JobStore;
  clock: Clock;
  logger: Logger;
  owner: string;
  /** A claim for a handful costs as much as one for many, so it waits until there is room for these. */
  batch: number;
  /** How often to look for work that others queued. */
  pollMs?: number | undefined;
}

/** Delivery without a broker: the rows are swept, when something is announced and every so often. */
export class Sweep implements Delivery {
  readonly #options: SweepOptions;
  readonly #kicks = new EventEmitter().setMaxListeners(0);
  readonly #stopping = new AbortController();
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(taker: Taker): void {
    const { logger, pollMs: everyMs = SECOND } = this.#options;
    const { signal } = this.#stopping;
    const options = { everyMs, signal, logger, failure: ROWS_OUT_OF_REACH, kicks: this.#kicks };
    this.#sweeping = loop(options, () => this.#claimFor(taker));
  }

  announce(at?: number): void {
    const kick = (): boolean => this.#kicks.emit('kick');
    if (at === undefined) kick();
    // The next look at the rows would come late for an item that waits for less than that.
    else setTimeout(kick, Math.max(0, at - this.#options.clock.now())).unref();
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#sweeping;
  }

  async #claimFor(taker: Taker): Promise<void> {
    const { store, owner, batch } = this.#options;
    const room = taker.room();
    if (room < batch) return;
    const items = await store.claim(owner, room);
    if (this.#stopping.signal.aborted) await store.release(owner, items);
    else taker.take(items);
  }
}
