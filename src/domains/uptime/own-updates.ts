import type { Knex } from 'knex';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { MonitorSpanRepository } from './monitor-span-repository.ts';

/** Interval at which the end of a running update is stored. If the process is killed, at most this time is lost. */
const STORED_EVERY = 10 * SECOND;

export class OwnUpdates {
  readonly #knex: Knex;
  readonly #clock: Clock;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async record<T>(siteId: number, update: () => Promise<T>): Promise<T> {
    const from = this.#clock.now();
    // Errors of storing are ignored, because the update matters more than the uptime ratio.
    const store = (): Promise<void> =>
      new MonitorSpanRepository(this.#knex)
        .store([{ siteId, kind: 'update', from, until: this.#clock.now() }])
        .catch(() => undefined);
    const storing = setInterval(() => void store(), STORED_EVERY);
    try {
      return await update();
    } finally {
      clearInterval(storing);
      await store();
    }
  }
}
