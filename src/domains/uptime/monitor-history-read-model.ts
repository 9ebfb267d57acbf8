import type { Knex } from 'knex';
import { DAY, HOUR } from '../../shared/clock.ts';
import { dayNumberOf } from './heartbeat.ts';
import { HourlyFiguresOfDay, type Figures } from './check-figures.ts';

/** Milliseconds since 1970. `from` is included, `until` is not. */
export interface TimeSpan {
  from: number;
  until: number;
}

/** Hours without checks are left out. `at` is the start of the hour, in milliseconds since 1970. */
export interface HourOfChecks extends Figures {
  at: number;
}

export interface Downtime {
  startedAt: number;
  endedAt: number | null;
  cause: string;
}

interface DowntimeRow {
  site_id: number;
  started_at: number;
  ended_at: number | null;
  cause: string;
}

export class MonitorHistoryReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async hours(siteIds: readonly number[], { from, until }: TimeSpan): Promise<Map<number, HourOfChecks[]>> {
    const rows = await this.#knex('monitor_days')
      .whereIn('site_id', [...siteIds])
      .whereBetween('day', [dayNumberOf(from), dayNumberOf(until - 1)])
      .orderBy(['site_id', 'day'])
      .select<{ site_id: number; day: number; hours: string }[]>('site_id', 'day', 'hours');
    const bySite = new Map<number, HourOfChecks[]>();
    for (const { site_id: siteId, day, hours } of rows) {
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

  async downtimes(siteIds: readonly number[], { from, until }: TimeSpan): Promise<Map<number, Downtime[]>> {
    const rows = await this.#knex('incidents')
      .whereIn('site_id', [...siteIds])
      .where('started_at', '<', until)
      .where((lasting) => void lasting.whereNull('ended_at').orWhere('ended_at', '>', from))
      .orderBy([
        { column: 'started_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .select<DowntimeRow[]>('site_id', 'started_at', 'ended_at', 'cause');
    const bySite = new Map<number, Downtime[]>();
    for (const { site_id: siteId, started_at: startedAt, ended_at: endedAt, cause } of rows)
      bySite.set(siteId, [...(bySite.get(siteId) ?? []), { startedAt, endedAt, cause }]);
    return bySite;
  }
}
