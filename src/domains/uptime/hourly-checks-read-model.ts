import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import { dayNumberOf } from './heartbeat.ts';
import { HourlyFiguresOfDay, type CheckFigures } from './check-figures.ts';
import type { TimeSpan } from './time-spans.ts';

/** Hours without checks are left out. `at` is the start of the hour, in milliseconds since 1970. */
export interface HourOfChecks extends CheckFigures {
  at: number;
}

export class HourlyChecksReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async of(siteIds: readonly number[], { from, until }: TimeSpan): Promise<Map<number, HourOfChecks[]>> {
    const rows = await longRead(this.#knex('monitor_days'))
      .whereIn('site_id', [...siteIds])
      .whereBetween('day', [dayNumberOf(from), dayNumberOf(until - 1)])
      .orderBy(['site_id', 'day'])
      .select<{ site_id: number; day: number; hours: string }[]>('site_id', 'day', 'hours');
    const bySite = new Map<number, HourOfChecks[]>();
    for (const { site_id: siteId, day, hours } of rows) {
      await endLongTurn();
      const known = bySite.get(siteId) ?? [];
      bySite.set(siteId, known);
      const figures = HourlyFiguresOfDay.of(day, hours);
      for (let hour = 0; hour < 24; hour++) {
        const at = day * DAY + hour * HOUR;
        const ofHour = figures.hour(hour);
        if (at >= from && at < until && ofHour.up + ofHour.down > 0) known.push({ at, ...ofHour });
      }
    }
    return bySite;
  }
}
