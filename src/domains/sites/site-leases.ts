import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { SiteLeaseStore, type LeasePurpose } from './site-lease-store.ts';

export interface SiteLeasesDeps {
  knex: Knex;
  clock: Clock;
  purpose: LeasePurpose;
  leaseMs?: number;
  /** Interval of the checks whether another process has released the lease. Default: 250. */
  pollMs?: number;
}

/**
 * Allows one task per site and purpose at a time, over all processes. Each task can use the results of the one before
 * instead of repeating its work. The lease expires if its process dies.
 */
export class SiteLeases {
  readonly #store: SiteLeaseStore;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #localMutex = new KeyedMutex();

  constructor({ knex, clock, purpose, leaseMs = 30 * SECOND, pollMs = SECOND / 4 }: SiteLeasesDeps) {
    this.#store = new SiteLeaseStore(knex, purpose);
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
  }

  runExclusive<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    return this.#localMutex.runExclusive(siteId, () => this.#leased(siteId, work));
  }

  /** Releases leases that a dead process left. Call this only if no other process uses the database. */
  releaseStale(): Promise<void> {
    return this.#store.clear();
  }

  async #leased<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    const holder = randomUUID();
    while (!(await this.#store.take(siteId, holder, this.#clock.now(), this.#until()))) await sleep(this.#pollMs);
    // Errors are ignored so that the task does not fail. A lease that is not renewed or released expires.
    const keeping = setInterval(
      () => void this.#store.renew(siteId, holder, this.#until()).catch(() => undefined),
      this.#leaseMs / 3,
    );
    try {
      return await work();
    } finally {
      clearInterval(keeping);
      await this.#store.release(siteId, holder).catch(() => undefined);
    }
  }

  #until(): number {
    return this.#clock.now() + this.#leaseMs;
  }
}
