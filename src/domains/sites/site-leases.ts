import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeaseLostError, leaseTimer, type Lease } from '../../db/lease.ts';
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
 * Allows one task per site and purpose at a time, over all processes. A task can use the results of the previous task
 * instead of repeating the work. If the process of a task dies, its lease expires.
 */
export class SiteLeases {
  readonly #store: SiteLeaseStore;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #localMutex = new KeyedMutex();

  constructor({ knex, clock, purpose, leaseMs = 30 * SECOND, pollMs = SECOND / 4 }: SiteLeasesDeps) {
    this.#store = new SiteLeaseStore({ knex, clock, purpose, leaseMs });
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
  }

  runExclusive<T>(siteId: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    return this.#localMutex.runExclusive(siteId, () => this.#leased(siteId, work));
  }

  /** Ends leases that a dead process left. Call this only if no other process uses the database. */
  expireStale(): Promise<void> {
    return this.#store.expireAll();
  }

  async #leased<T>(siteId: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    const holder = randomUUID();
    while (!(await this.#store.take(siteId, holder))) await sleep(this.#pollMs);
    const keeping = setInterval(() => void this.#store.renew(siteId, holder).catch(() => undefined), this.#leaseMs / 3);
    try {
      return await work(this.#leaseOf(siteId, holder));
    } finally {
      clearInterval(keeping);
      await this.#store.release(siteId, holder).catch(() => undefined);
    }
  }

  #leaseOf(siteId: number, holder: string): Lease {
    return {
      confirm: async () => {
        const isLeased = leaseTimer(this.#leaseMs);
        if (!(await this.#store.renew(siteId, holder))) throw new LeaseLostError();
        return isLeased;
      },
      lock: async (trx) => {
        if (!(await this.#store.lock(trx, siteId, holder))) throw new LeaseLostError();
      },
    };
  }
}
