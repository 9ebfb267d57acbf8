import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { SiteCallLock } from '../../connector/child-site.ts';
import { isShared } from '../../db/dialect.ts';
import { leaseTimer } from '../../db/lease.ts';
import type { Clock } from '../../shared/clock.ts';
import { CallLeaseStore } from './call-lease-store.ts';

const POLL_MS = 50;

const UNSHARED: SiteCallLock = { confirm: () => Promise.resolve(() => true), release: () => Promise.resolve() };

/**
 * Allows one process at a time to call a site. Within a process, the connector orders the calls of a site. Only one
 * process serves an SQLite database, so its calls need no lease. The lease of a process that died expires.
 */
export class CallLeases {
  readonly #store: CallLeaseStore | null;
  readonly #leaseMs: number;

  constructor({ knex, clock, leaseMs }: { knex: Knex; clock: Clock; leaseMs: number }) {
    this.#store = isShared(knex) ? new CallLeaseStore({ knex, clock, leaseMs }) : null;
    this.#leaseMs = leaseMs;
  }

  /** True if other processes can call sites with the same database. */
  get isShared(): boolean {
    return this.#store !== null;
  }

  async take(siteId: number): Promise<SiteCallLock | null> {
    const store = this.#store;
    if (!store) return UNSHARED;
    const holder = randomUUID();
    let isLeased = leaseTimer(this.#leaseMs);
    if (!(await store.take(siteId, holder))) return null;
    const renew = async (): Promise<boolean> => {
      const isRenewed = leaseTimer(this.#leaseMs);
      if (!(await store.renew(siteId, holder))) return false;
      isLeased = isRenewed;
      return true;
    };
    // Errors are ignored so that the call does not fail. A lease that is not renewed or released expires.
    const renewing = setInterval(() => void renew().catch(() => undefined), this.#leaseMs / 3);
    return {
      confirm: async () => (isLeased() || (await renew()) ? () => isLeased() : null),
      release: async () => {
        clearInterval(renewing);
        await store.release(siteId, holder).catch(() => undefined);
      },
    };
  }

  async runExclusive<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    let lock: SiteCallLock | null;
    while ((lock = await this.take(siteId)) === null) await sleep(POLL_MS);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }
}
