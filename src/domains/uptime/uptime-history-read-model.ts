import type { Knex } from 'knex';
import { groupBy } from '../../shared/group-by.ts';
import type { MonitorRecord } from './monitor-list-read-model.ts';
import { MonitorSpanRepository, type MonitorSpan, type MonitorSpanKind } from './monitor-span-repository.ts';
import type { TimeSpan } from './time-spans.ts';
import { uptimeHistoryOf, type UptimeHistory } from './uptime-history.ts';
import { watchedSpanOf } from './watched-period.ts';

export interface Downtime {
  startedAt: number;
  endedAt: number | null;
  cause: string;
}

export interface SiteUptime {
  history: UptimeHistory;
  downtimes: Downtime[];
  /** Time until which watched spans are estimated (`MonitorSpanKind`). Null if it is before the requested span. */
  estimatedUntil: number | null;
}

interface DowntimeRow {
  site_id: number;
  started_at: number;
  ended_at: number | null;
  cause: string;
}

export class UptimeHistoryReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * Read `records` before this call. When a check ends a watched period, the period moves from the monitor to the
   * spans, which are read here. If the spans were read first, that period could be missing.
   */
  async of(records: readonly MonitorRecord[], span: TimeSpan, now: number): Promise<Map<number, SiteUptime>> {
    const siteIds = records.map(({ site }) => site.id);
    const downtimes = await this.#downtimes(siteIds, span);
    const starts = [...downtimes.values()].flatMap((ofSite) => ofSite.map(({ startedAt }) => startedAt));
    // Incidents are returned with their whole length, so spans are read from the start of the earliest one.
    const from = starts.reduce((earliest, start) => Math.min(earliest, start), span.from);
    const spans = await this.#spans(siteIds, { ...span, from });
    return new Map(
      records.map((record) => {
        const { id } = record.site;
        return [id, siteUptimeOf(record, spans.get(id) ?? [], downtimes.get(id) ?? [], span, now)];
      }),
    );
  }

  async #spans(siteIds: readonly number[], span: TimeSpan): Promise<Map<number, MonitorSpan[]>> {
    return groupBy(await new MonitorSpanRepository(this.#knex).overlapping(siteIds, span), ({ siteId }) => siteId);
  }

  async #downtimes(siteIds: readonly number[], { from, until }: TimeSpan): Promise<Map<number, Downtime[]>> {
    const rows = await this.#knex('incidents')
      .whereIn('site_id', [...siteIds])
      .where('started_at', '<', until)
      .where((lasting) => void lasting.whereNull('ended_at').orWhere('ended_at', '>', from))
      .orderBy([
        { column: 'started_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .select<DowntimeRow[]>('site_id', 'started_at', 'ended_at', 'cause');
    const bySite = groupBy(rows, (row) => row.site_id);
    return new Map([...bySite].map(([siteId, ofSite]) => [siteId, ofSite.map(toDowntime)]));
  }
}

const toDowntime = ({ started_at: startedAt, ended_at: endedAt, cause }: DowntimeRow): Downtime => ({
  startedAt,
  endedAt,
  cause,
});

function siteUptimeOf(
  { monitor, isPaused }: MonitorRecord,
  spans: readonly MonitorSpan[],
  downtimes: Downtime[],
  { from }: TimeSpan,
  now: number,
): SiteUptime {
  const ofKind = (...kinds: MonitorSpanKind[]): MonitorSpan[] => spans.filter(({ kind }) => kinds.includes(kind));
  const current = monitor.watchedPeriod ? [watchedSpanOf(monitor.watchedPeriod, isPaused, now)] : [];
  const estimated = ofKind('estimated').map(({ until }) => until);
  const estimatedUntil = estimated.length === 0 ? null : Math.max(...estimated);
  return {
    history: uptimeHistoryOf({
      watched: [...ofKind('watched', 'estimated'), ...current],
      incidents: downtimes,
      updates: ofKind('update'),
    }),
    downtimes,
    estimatedUntil: estimatedUntil !== null && estimatedUntil > from ? estimatedUntil : null,
  };
}
