import type { Knex } from 'knex';
import { lockForClaim, lockForUpdate } from '../../db/dialect.ts';
import { MINUTE } from '../../shared/clock.ts';
import { packHeartbeatWithDay, unpackHeartbeatWithDay, type Heartbeat } from './heartbeat.ts';
import {
  noMonitorOverrides,
  CHECK_SLOTS_PER_INTERVAL,
  CHECK_SLOT_STRIDE,
  type MonitorMethod,
  type MonitorType,
  type MonitorOverrides,
} from './monitor-settings.ts';
import type { MonitorState } from './monitor-state.ts';
import type { WatchedPeriod } from './watched-period.ts';

export interface Monitor {
  siteId: number;
  state: MonitorState;
  nextCheckAt: number;
  leaseUntil: number | null;
  lastCheckAt: number | null;
  lastBeat: Heartbeat | null;
  incidentId: number | null;
  /** Null before the first scheduled check. */
  watchedPeriod: WatchedPeriod | null;
  own: MonitorOverrides;
}

export interface MonitorRow {
  site_id: number;
  state: MonitorState;
  next_check_at: number;
  lease_until: number | null;
  last_check_at: number | null;
  last_beat: string | null;
  incident_id: number | null;
  watched_since: number | null;
  watched_until: number | null;
  watch_lapses_at: number | null;
  active: number | null;
  type: MonitorType | null;
  method: MonitorMethod | null;
  interval_minutes: number | null;
  timeout_seconds: number | null;
  confirmation: number | null;
  accepted_statuses: string | null;
  keyword: string | null;
}

export const MONITOR_COLUMNS = [
  'monitors.site_id',
  'monitors.state',
  'monitors.next_check_at',
  'monitors.lease_until',
  'monitors.last_check_at',
  'monitors.last_beat',
  'monitors.incident_id',
  'monitors.watched_since',
  'monitors.watched_until',
  'monitors.watch_lapses_at',
  'monitors.active',
  'monitors.type',
  'monitors.method',
  'monitors.interval_minutes',
  'monitors.timeout_seconds',
  'monitors.confirmation',
  'monitors.accepted_statuses',
  'monitors.keyword',
] as const;

const flagToBoolean = (flag: number | null): boolean | null => (flag === null ? null : flag === 1);

export const toMonitor = (row: MonitorRow): Monitor => ({
  siteId: row.site_id,
  state: row.state,
  nextCheckAt: Number(row.next_check_at),
  leaseUntil: row.lease_until,
  lastCheckAt: row.last_check_at,
  lastBeat: row.last_beat === null ? null : unpackHeartbeatWithDay(row.last_beat),
  incidentId: row.incident_id,
  watchedPeriod: toWatchedPeriod(row),
  own: {
    active: flagToBoolean(row.active),
    type: row.type,
    method: row.method,
    intervalMinutes: row.interval_minutes,
    timeoutSeconds: row.timeout_seconds,
    confirmation: flagToBoolean(row.confirmation),
    acceptedStatuses: row.accepted_statuses === null ? null : row.accepted_statuses.split(',').map(Number),
    keyword: row.keyword,
  },
});

const toWatchedPeriod = ({
  watched_since: since,
  watched_until: until,
  watch_lapses_at: lapsesAt,
}: MonitorRow): WatchedPeriod | null =>
  since === null || until === null || lapsesAt === null ? null : { since, until, lapsesAt };

export const uncheckedMonitor = (siteId: number): Monitor => ({
  siteId,
  state: 'first',
  nextCheckAt: 0,
  leaseUntil: null,
  lastCheckAt: null,
  lastBeat: null,
  incidentId: null,
  watchedPeriod: null,
  own: noMonitorOverrides(),
});

const SETTING_COLUMNS: { [Name in keyof MonitorOverrides]: keyof MonitorRow } = {
  active: 'active',
  type: 'type',
  method: 'method',
  intervalMinutes: 'interval_minutes',
  timeoutSeconds: 'timeout_seconds',
  confirmation: 'confirmation',
  acceptedStatuses: 'accepted_statuses',
  keyword: 'keyword',
};

export interface FleetMonitoringDefaults {
  active: boolean;
  intervalMinutes: number;
}

const CHUNK = 500;

export class MonitorRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(siteId: number): Promise<Monitor | null> {
    const row = await this.#db('monitors')
      .where({ site_id: siteId })
      .first<MonitorRow | undefined>(...MONITOR_COLUMNS);
    return row ? toMonitor(row) : null;
  }

  async ensure(siteIds: readonly number[], dueAt: number): Promise<void> {
    if (siteIds.length === 0) return;
    await this.#db('monitors')
      .insert(siteIds.map((site_id) => ({ site_id, state: 'first', next_check_at: dueAt })))
      .onConflict('site_id')
      .ignore();
  }

  async insertMissing(dueAt: number): Promise<void> {
    for (;;) {
      const siteIds = await this.#db('sites')
        .whereNotExists(this.#db('monitors').select(this.#db.raw('1')).whereRaw('monitors.site_id = sites.id'))
        .orderBy('id')
        .limit(CHUNK)
        .pluck<number[]>('id');
      await this.ensure(siteIds, dueAt);
      if (siteIds.length < CHUNK) return;
    }
  }

  /**
   * Reschedules checks that are planned later than their interval allows. This happens if the interval of the fleet was
   * longer before, or if a clock was ahead.
   */
  async bringForward({ intervalMinutes }: FleetMonitoringDefaults, now: number): Promise<void> {
    // `nextCheckAt()` never returns a time more than 1.5 intervals ahead.
    await this.#db('monitors')
      .whereRaw('next_check_at > ? + coalesce(interval_minutes, ?) * ?', [now, intervalMinutes, 1.5 * MINUTE])
      .update({
        next_check_at: this.#db.raw('? + (site_id * ? % ?) * coalesce(interval_minutes, ?) * ?', [
          now,
          CHECK_SLOT_STRIDE,
          CHECK_SLOTS_PER_INTERVAL,
          intervalMinutes,
          MINUTE / CHECK_SLOTS_PER_INTERVAL,
        ]),
      });
  }

  /** `aMinute` is the number of checks per minute that all active monitors require. */
  async load(fleet: FleetMonitoringDefaults, now: number): Promise<{ due: number; aMinute: number }> {
    const rows = await this.#watched(fleet)
      .groupByRaw('coalesce(interval_minutes, ?)', [fleet.intervalMinutes])
      .select<{ minutes: number; monitors: number; due: number | string }[]>(
        this.#db.raw('coalesce(interval_minutes, ?) as minutes', [fleet.intervalMinutes]),
        this.#db.raw('count(*) as monitors'),
        this.#db.raw(
          'sum(case when next_check_at <= ? and (lease_until is null or lease_until < ?) then 1 else 0 end) as due',
          [now, now],
        ),
      );
    return {
      due: rows.reduce((sum, row) => sum + Number(row.due), 0),
      aMinute: rows.reduce((sum, row) => sum + Number(row.monitors) / Number(row.minutes), 0),
    };
  }

  /**
   * Locks up to `limit` due monitors that no process is checking, the longest due first. `holder` is a job item. Leases
   * of the same item are ignored: the process that took them is dead, or the result of its check will come too late.
   */
  async lockDue(fleet: FleetMonitoringDefaults, now: number, limit: number, holder: number): Promise<Monitor[]> {
    const rows = await lockForClaim(
      this.#db,
      this.#watched(fleet)
        .where('next_check_at', '<=', now)
        .where((free) => {
          void free.whereNull('lease_until').orWhere('lease_until', '<', now).orWhere('leased_by', holder);
        })
        .orderBy(['next_check_at', 'site_id'])
        .limit(limit)
        .select<MonitorRow[]>(...MONITOR_COLUMNS),
    );
    return rows.map(toMonitor);
  }

  async lease(siteIds: readonly number[], until: number, holder: number): Promise<void> {
    await this.#db('monitors')
      .whereIn('site_id', [...siteIds])
      .update({ lease_until: until, leased_by: holder });
  }

  async suspendedAmong(siteIds: readonly number[]): Promise<number[]> {
    return this.#db('sites')
      .whereIn('id', [...siteIds])
      .where({ status: 'suspended' })
      .pluck('id');
  }

  async release(siteIds: readonly number[], until: number): Promise<void> {
    if (siteIds.length === 0) return;
    await this.#db('monitors')
      .whereIn('site_id', [...siteIds])
      .where({ lease_until: until })
      .update({ lease_until: null, leased_by: null });
  }

  /** Releases all leases. Call this only if no other process uses the database: the leases are of dead processes. */
  async releaseAll(): Promise<void> {
    await this.#db('monitors').whereNotNull('lease_until').update({ lease_until: null, leased_by: null });
  }

  /** Locks the rows in the order of their IDs, so that concurrent callers cannot deadlock. */
  async lock(siteIds: readonly number[]): Promise<Map<number, Monitor>> {
    const rows = await lockForUpdate(
      this.#db,
      this.#db('monitors')
        .whereIn('site_id', [...siteIds])
        .orderBy('site_id')
        .select<MonitorRow[]>(...MONITOR_COLUMNS),
    );
    return new Map(rows.map((row) => [row.site_id, toMonitor(row)]));
  }

  async storeChecked(monitors: readonly Monitor[]): Promise<void> {
    if (monitors.length === 0) return;
    await this.#db('monitors')
      .insert(
        monitors.map((monitor) => ({
          site_id: monitor.siteId,
          state: monitor.state,
          next_check_at: monitor.nextCheckAt,
          lease_until: monitor.leaseUntil,
          last_check_at: monitor.lastCheckAt,
          last_beat: monitor.lastBeat && packHeartbeatWithDay(monitor.lastBeat),
          incident_id: monitor.incidentId,
          watched_since: monitor.watchedPeriod?.since ?? null,
          watched_until: monitor.watchedPeriod?.until ?? null,
          watch_lapses_at: monitor.watchedPeriod?.lapsesAt ?? null,
        })),
      )
      .onConflict('site_id')
      .merge([
        ...['state', 'next_check_at', 'lease_until', 'last_check_at', 'last_beat', 'incident_id'],
        ...['watched_since', 'watched_until', 'watch_lapses_at'],
      ]);
  }

  async setOwn(siteId: number, own: Partial<MonitorOverrides>, nextCheckAt: number): Promise<void> {
    const columns = Object.entries(own).map(([name, value]) => [
      SETTING_COLUMNS[name as keyof MonitorOverrides],
      Array.isArray(value) ? value.join(',') : typeof value === 'boolean' ? Number(value) : value,
    ]);
    await this.#db('monitors')
      .where({ site_id: siteId })
      .update({ ...(Object.fromEntries(columns) as object), next_check_at: nextCheckAt });
  }

  #watched({ active }: FleetMonitoringDefaults): Knex.QueryBuilder {
    return this.#db('monitors')
      .whereRaw('coalesce(active, ?) = 1', [Number(active)])
      .whereNotIn('site_id', this.#db('sites').where({ status: 'suspended' }).select('id'));
  }
}
