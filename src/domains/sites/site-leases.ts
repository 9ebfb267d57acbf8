import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { LocalSiteLeases } from './local-site-leases.ts';
import { SiteLeaseStore, type LeasePurpose } from './site-lease-store.ts';

export interface SiteLeasesParts {
  knex: Knex;
  clock: Clock;
  purpose: LeasePurpose;
  leaseMs?: number;
  /** How often to look whether another process is done with the site. */
  pollMs?: number;
}

/**
 * One run of a purpose at a time for a site, whoever asks and in whichever process: the next one goes by what the one
 * before has done, instead of asking for it again. Within a process runs wait for each other; between processes a lease
 * decides, which runs out when its process has died.
 */
export class SiteLeases {
  readonly #store: SiteLeaseStore;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #here = new LocalSiteLeases();

  constructor({ knex, clock, purpose, leaseMs = 30 * SECOND, pollMs = SECOND / 4 }: SiteLeasesParts) {
    this.#store = new SiteLeaseStore(knex, purpose);
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
  }

  hold<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    return this.#here.hold(siteId, () => this.#leased(siteId, work));
  }

  /** Ends every lease: on a database of one process they can only be those of its dead former self. */
  takeOver(): Promise<void> {
    return this.#store.clear();
  }

  async #leased<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    const holder = randomUUID();
    while (!(await this.#store.take(siteId, holder, this.#clock.now(), this.#until()))) await sleep(this.#pollMs);
    // What cannot be renewed or given back now runs out by itself; the work must not fail of it.
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
