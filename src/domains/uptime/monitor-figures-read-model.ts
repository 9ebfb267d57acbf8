import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import {
  addCheckFigures,
  meanResponseTimeOf,
  noCheckFigures,
  startOfHour,
  type CheckFigures,
} from './check-figures.ts';
import { HourlyChecksReadModel, type HourOfChecks } from './hourly-checks-read-model.ts';
import type { MonitorRecord } from './monitor-list-read-model.ts';
import { UptimeHistoryReadModel, type SiteUptime } from './uptime-history-read-model.ts';
import { uptimeIn, uptimePercentOf } from './uptime-history.ts';

export interface HourFigures {
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
  /** Number of incidents that overlap the last 7 days, including those that began earlier. */
  incidents7d: number;
  incidents30d: number;
}

const HOURS_SHOWN = 24;

export class MonitorFiguresReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async of(records: readonly MonitorRecord[], now: number): Promise<Map<number, MonitorFigures>> {
    if (records.length === 0) return new Map();
    const siteIds = records.map(({ site }) => site.id);
    const firstHour = startOfHour(now) - (HOURS_SHOWN - 1) * HOUR;
    const month = { from: now - 30 * DAY, until: now };
    const [checks, uptimes] = await Promise.all([
      new HourlyChecksReadModel(this.#knex).of(siteIds, { from: firstHour, until: firstHour + HOURS_SHOWN * HOUR }),
      new UptimeHistoryReadModel(this.#knex).of(records, month, now),
    ]);
    return new Map(
      [...uptimes].map(([siteId, uptime]) => [
        siteId,
        figuresOf(uptime, hoursFrom(firstHour, checks.get(siteId)), now),
      ]),
    );
  }

  countIncidents(siteId: number): Promise<number> {
    return countRows(this.#knex('incidents').where({ site_id: siteId }));
  }
}

function figuresOf({ history, downtimes }: SiteUptime, hours: readonly HourOfChecks[], now: number): MonitorFigures {
  const last = hours.reduce<CheckFigures>(addCheckFigures, noCheckFigures());
  const ratio = (days: number): number | null =>
    uptimePercentOf(uptimeIn(history, { from: now - days * DAY, until: now }));
  const incidents = (days: number): number =>
    downtimes.filter(({ endedAt }) => endedAt === null || endedAt > now - days * DAY).length;
  return {
    hours: hours.map(({ at, up, down }) => ({ at, up, down })),
    ratio24h: ratio(1),
    ratio7d: ratio(7),
    ratio30d: ratio(30),
    responseTime: { mean: meanResponseTimeOf(last), min: last.timeMin, max: last.timeMax },
    incidents7d: incidents(7),
    incidents30d: incidents(30),
  };
}

function hoursFrom(first: number, checks: readonly HourOfChecks[] = []): HourOfChecks[] {
  const known = new Map(checks.map((hour) => [hour.at, hour]));
  return Array.from({ length: HOURS_SHOWN }, (_, index) => {
    const at = first + index * HOUR;
    return known.get(at) ?? { at, ...noCheckFigures() };
  });
}
