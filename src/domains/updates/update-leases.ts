import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { SiteLeases } from '../sites/index.ts';
import { SiteLeaseStore } from './site-lease-store.ts';

export interface UpdateLeasesParts {
  knex: Knex;
  clock: Clock;
  leaseMs?: number;
  /** How often to look whether another process is done with the site. */
  pollMs?: number;
}

/**
 * One run of updates at a time for a site, whoever asks and in whichever process: the next one plans with what the one
 * before has done, instead of asking for it again. Within a process runs wait for each other; between processes a lease
 * decides, which runs out when its process has died.
 */
export class UpdateLeases {
  readonly #store: SiteLeaseStore;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #here = new SiteLeases();

  constructor({ knex, clock, leaseMs = 30 * SECOND, pollMs = SECOND / 4 }: UpdateLeasesParts) {
    this.#store = new SiteLeaseStore(knex);
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
