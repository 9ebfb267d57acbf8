import { EventEmitter } from 'node:events';
import { SECOND, type Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { repeatUntilAborted } from '../shared/repeat-until-aborted.ts';
import type { ItemLeaseStore } from './item-lease-store.ts';
import type { LeasedItem } from './job.ts';

export const DATABASE_UNREACHABLE = 'the queue could not access its rows; it will try again';

export interface JobConsumer {
  freeSlots(): number;
  /** Returns the number of free slots for jobs with one item, which may use more slots than others. */
  reservedSlots(): number;
  take(items: readonly LeasedItem[]): void;
}

/**
 * Decides which items may begin, and leases them to this process. Announcements are only hints about when to read the
 * rows. The rows alone decide what is to be done, and only the holder of an item's lease may begin it.
 */
export interface Delivery {
  start(taker: JobConsumer): void;
  /**
   * Reports that items may begin at `at`, or immediately if omitted: a job was queued, an item was postponed, or the
   * consumer has room again. `at` is in milliseconds since 1970.
   */
  announce(at?: number): void;
  stop(): Promise<void>;
}

export interface PollingDeliveryOptions {
  leases: ItemLeaseStore;
  clock: Clock;
  logger: Logger;
  owner: string;
  /**
   * Minimum number of free slots for a claim. With fewer, only jobs with one item are claimed. A claim for a few items
   * costs as much as one for many.
   */
  batch: number;
  pollMs?: number | undefined;
}

export class PollingDelivery implements Delivery {
  readonly #options: PollingDeliveryOptions;
  readonly #kicks = new EventEmitter().setMaxListeners(0);
  readonly #stopping = new AbortController();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: PollingDeliveryOptions) {
    this.#options = options;
  }

  start(taker: JobConsumer): void {
    const { logger, pollMs: everyMs = SECOND } = this.#options;
    const { signal } = this.#stopping;
    const options = { everyMs, signal, logger, failure: DATABASE_UNREACHABLE, kicks: this.#kicks };
    this.#polling = repeatUntilAborted(options, () => this.#claimFor(taker));
  }

  announce(at?: number): void {
    const kick = (): boolean => this.#kicks.emit('kick');
    if (at === undefined) kick();
    // The next poll would be too late for an item that waits for less than the interval.
    else setTimeout(kick, Math.max(0, at - this.#options.clock.now())).unref();
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#polling;
  }

  async #claimFor(taker: JobConsumer): Promise<void> {
    const { leases, owner, batch } = this.#options;
    const room = taker.freeSlots();
    const onlySingle = room < batch;
    const limit = onlySingle ? taker.reservedSlots() : room;
    if (limit <= 0) return;
    const items = await leases.claim(owner, limit, { onlySingle });
    if (this.#stopping.signal.aborted) await leases.release(owner, items);
    else taker.take(items);
  }
}
