import type { Knex } from 'knex';
import { countOf } from '../../db/counting.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import { dayNumberOf } from './heartbeat.ts';
import {
  HourlyFiguresOfDay,
  startOfHour,
  meanResponseTimeOf,
  noFigures,
  uptimePercentOf,
  addFigures,
  type Figures,
} from './check-figures.ts';

export interface HourFigures {
  /** Start of the hour, in milliseconds since 1970. */
  at: number;
  up: number;
  down: number;
}

export interface MonitorFigures {
  /** The last 24 hours, including the current one, oldest first. */
  hours: HourFigures[];
  ratio24h: number | null;
  ratio7d: number | null;
  ratio30d: number | null;
  /** Response times in milliseconds, over the last 24 hours. */
  responseTime: { mean: number | null; min: number | null; max: number | null };
  /** Counts incidents that began or continued within this time. */
  incidents7d: number;
  incidents30d: number;
}

const HOURS_SHOWN = 24;

interface Sums {
  site_id: number;
  up_week: number | string;
  down_week: number | string;
  up_month: number | string;
  down_month: number | string;
}

/**
 * Computes the figures of any number of monitors in three statements, from whole days and the hours at the edges of the
 * time windows.
 */
export class MonitorFiguresReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async of(siteIds: readonly number[], now: number): Promise<Map<number, MonitorFigures>> {
    if (siteIds.length === 0) return new Map();
    const window = windowAt(now);
    const [sums, edges, incidents] = await Promise.all([
      this.#sums(siteIds, window),
      this.#edges(siteIds, window),
      this.#incidents(siteIds, window),
    ]);
    return new Map(
      siteIds.map((siteId) => {
        const days = edges.get(siteId) ?? new Map<number, HourlyFiguresOfDay>();
        const { week, month } = sums.get(siteId) ?? { week: noFigures(), month: noFigures() };
        const edge = (since: number): Figures => days.get(dayNumberOf(since))?.from(since) ?? noFigures();
        const hours = hoursSince(window.day, days);
        const last = hours.reduce((sum, { figures }) => addFigures(sum, figures), noFigures());
        const counts = incidents.get(siteId) ?? { week: 0, month: 0 };
        return [
          siteId,
          {
            hours: hours.map(({ at, figures: { up, down } }) => ({ at, up, down })),
            ratio24h: uptimePercentOf(last),
            ratio7d: uptimePercentOf(addFigures(week, edge(window.week))),
            ratio30d: uptimePercentOf(addFigures(month, edge(window.month))),
            responseTime: { mean: meanResponseTimeOf(last), min: last.timeMin, max: last.timeMax },
            incidents7d: counts.week,
            incidents30d: counts.month,
          },
        ];
      }),
    );
  }

  countIncidents(siteId: number): Promise<number> {
    return countOf(this.#knex('incidents').where({ site_id: siteId }));
  }

  async #sums(siteIds: readonly number[], { week, month }: Window) {
    const rows: Sums[] = await this.#knex('monitor_days')
      .whereIn('site_id', [...siteIds])
      .where('day', '>', dayNumberOf(month))
      .groupBy('site_id')
      .select(
        'site_id',
        this.#knex.raw('sum(case when day > ? then up else 0 end) as up_week', [dayNumberOf(week)]),
        this.#knex.raw('sum(case when day > ? then down else 0 end) as down_week', [dayNumberOf(week)]),
        this.#knex.raw('sum(up) as up_month'),
        this.#knex.raw('sum(down) as down_month'),
      );
    return new Map(
      rows.map((row) => [
        row.site_id,
        {
          week: { ...noFigures(), up: Number(row.up_week), down: Number(row.down_week) },
          month: { ...noFigures(), up: Number(row.up_month), down: Number(row.down_month) },
        },
      ]),
    );
  }

  async #edges(siteIds: readonly number[], { day, week, month, now }: Window) {
    const rows = await this.#knex('monitor_days')
      .whereIn('site_id', [...siteIds])
      .whereIn('day', [...new Set([day, week, month, now].map(dayNumberOf))])
      .select<{ site_id: number; day: number; hours: string }[]>('site_id', 'day', 'hours');
    const bySite = new Map<number, Map<number, HourlyFiguresOfDay>>();
    for (const { site_id, day: at, hours } of rows) {
      const days = bySite.get(site_id) ?? new Map<number, HourlyFiguresOfDay>();
      bySite.set(site_id, days.set(at, HourlyFiguresOfDay.of(at, hours)));
    }
    return bySite;
  }

  async #incidents(siteIds: readonly number[], { week, month }: Window) {
    const rows: { site_id: number; of_month: number | string; of_week: number | string }[] = await this.#knex(
      'incidents',
    )
      .whereIn('site_id', [...siteIds])
      .where((lasting) => void lasting.whereNull('ended_at').orWhere('ended_at', '>=', month))
      .groupBy('site_id')
      .select(
        'site_id',
        this.#knex.raw('count(*) as of_month'),
        this.#knex.raw('sum(case when ended_at is null or ended_at >= ? then 1 else 0 end) as of_week', [week]),
      );
    return new Map(rows.map((row) => [row.site_id, { week: Number(row.of_week), month: Number(row.of_month) }]));
  }
}

interface Window {
  now: number;
  day: number;
  week: number;
  month: number;
}

function windowAt(now: number): Window {
  const hour = startOfHour(now) + HOUR;
  return { now, day: hour - DAY, week: hour - 7 * DAY, month: hour - 30 * DAY };
}

const hoursSince = (since: number, days: ReadonlyMap<number, HourlyFiguresOfDay>): { at: number; figures: Figures }[] =>
  Array.from({ length: HOURS_SHOWN }, (_, index) => {
    const at = since + index * HOUR;
    return { at, figures: days.get(dayNumberOf(at))?.hour(Math.floor((at % DAY) / HOUR)) ?? noFigures() };
  });
