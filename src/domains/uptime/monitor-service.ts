import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import { DAY, MINUTE, type Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { nextEventLoopTurn } from '../../shared/event-loop.ts';
import { offsetOf, pageOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import { isAllowedTimeout, TIMEOUT_RULE } from '../settings/index.ts';
import type { SiteWithUrlKey, ChildLinkResolver } from '../sites/index.ts';
import type { MonitorCheckRecorder, HealthyListener } from './monitor-check-recorder.ts';
import { dayNumberOf, type Heartbeat } from './heartbeat.ts';
import { HeartbeatRepository } from './heartbeat-repository.ts';
import { HourlyChecksReadModel, type HourOfChecks } from './hourly-checks-read-model.ts';
import { IncidentRepository, type Incident } from './incident-repository.ts';
import type { MonitorCheck } from './monitor-check.ts';
import { MonitorFiguresReadModel, type MonitorFigures } from './monitor-figures-read-model.ts';
import { MonitorList, type MonitorFilter, type MonitorRecord } from './monitor-list-read-model.ts';
import { MonitorRepository } from './monitor-repository.ts';
import { MonitorSpanRepository } from './monitor-span-repository.ts';
import { effectiveMonitorSettings, type MonitorSettings, type MonitorOverrides } from './monitor-settings.ts';
import type { CheckedState } from './monitor-state.ts';
import type { TimeSpan } from './time-spans.ts';
import { UptimeHistoryReadModel, type SiteUptime } from './uptime-history-read-model.ts';

export interface MonitorServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  links: Pick<ChildLinkResolver, 'webTargets'>;
  check: MonitorCheck;
  recorder: MonitorCheckRecorder;
  fleet: () => MonitorSettings;
}

export interface MonitorHistory extends MonitorRecord, SiteUptime {
  hours: HourOfChecks[];
  /** Start of the first watched span of all time, not of the requested one; null if the site was never watched. */
  watchedSince: number | null;
}

export type MonitorWithFigures = MonitorRecord & { figures: MonitorFigures };

/** Times are milliseconds since 1970. `from` is included, `to` is not. */
export interface BeatFilter {
  from: number;
  to: number;
  state?: CheckedState;
}

const monitorNotFoundError = (): NotFoundError =>
  new NotFoundError('svc_monitor_not_found', 'No monitor matches this reference.');

/** Number of days of heartbeats that are unpacked before other tasks of the event loop can run. */
const DAYS_A_TURN = 30;
const NEWEST = 50;

export class MonitorService {
  readonly #deps: MonitorServiceDeps;
  readonly #list: MonitorList;
  readonly #figures: MonitorFiguresReadModel;

  constructor(deps: MonitorServiceDeps) {
    this.#deps = deps;
    this.#list = new MonitorList(deps.knex, deps.fleet);
    this.#figures = new MonitorFiguresReadModel(deps.knex);
  }

  onHealthy(listener: HealthyListener): void {
    this.#deps.recorder.onHealthy(listener);
  }

  now(): number {
    return this.#deps.clock.now();
  }

  list(filter: MonitorFilter, request: PageRequest): Promise<Page<MonitorRecord>> {
    return this.#list.page(filter, request);
  }

  async listWithFigures(filter: MonitorFilter, request: PageRequest): Promise<Page<MonitorWithFigures>> {
    const page = await this.#list.page(filter, request);
    return { ...page, items: await this.#withFigures(page.items) };
  }

  count(filter: MonitorFilter): Promise<number> {
    return this.#list.count(filter);
  }

  async get(siteId: number): Promise<MonitorRecord> {
    const record = await this.#list.get(siteId);
    if (!record) throw monitorNotFoundError();
    return record;
  }

  async getWithFigures(siteId: number): Promise<MonitorWithFigures> {
    const [figured] = await this.#withFigures([await this.get(siteId)]);
    if (!figured) throw monitorNotFoundError();
    return figured;
  }

  async histories(siteIds: readonly number[], span: TimeSpan): Promise<Map<number, MonitorHistory>> {
    const { knex, clock } = this.#deps;
    const records = await this.#list.byIds(siteIds);
    const [hours, uptimes, firstWatchedTimes] = await Promise.all([
      new HourlyChecksReadModel(knex).of(siteIds, span),
      new UptimeHistoryReadModel(knex).of(records, span, clock.now()),
      new MonitorSpanRepository(knex).firstWatchedTimes(siteIds),
    ]);
    return new Map(
      records.flatMap((record): [number, MonitorHistory][] => {
        const { id } = record.site;
        const uptime = uptimes.get(id);
        const watchedSince = firstWatchedTimes.get(id) ?? record.monitor.watchedPeriod?.since ?? null;
        return uptime ? [[id, { ...record, ...uptime, hours: hours.get(id) ?? [], watchedSince }]] : [];
      }),
    );
  }

  async newestBeats(siteId: number): Promise<Heartbeat[]> {
    const today = dayNumberOf(this.#deps.clock.now());
    return (await new HeartbeatRepository(this.#deps.knex).ofDays(siteId, today - 1, today)).slice(0, NEWEST);
  }

  async beats(siteId: number, { from, to, state }: BeatFilter, request: PageRequest): Promise<Page<Heartbeat>> {
    const repository = new HeartbeatRepository(this.#deps.knex);
    const first = dayNumberOf(from);
    const beats: Heartbeat[] = [];
    for (let last = dayNumberOf(to); last >= first; last -= DAYS_A_TURN) {
      beats.push(...(await repository.ofDays(siteId, Math.max(first, last - DAYS_A_TURN + 1), last)));
      await nextEventLoopTurn();
    }
    const isMeant = (beat: Heartbeat): boolean =>
      beat.at >= from && beat.at < to && (state === undefined || beat.state === state);
    return pageOf(beats.filter(isMeant), request);
  }

  async incidents(siteId: number, request: PageRequest): Promise<Page<Incident>> {
    const [total, items] = await Promise.all([
      this.countIncidents(siteId),
      new IncidentRepository(this.#deps.knex).page(siteId, offsetOf(request), request.perPage),
    ]);
    return { items, ...request, total };
  }

  countIncidents(siteId: number): Promise<number> {
    return this.#figures.countIncidents(siteId);
  }

  /**
   * Checks a site now, even if its monitor is off, and records the check. Throws `svc_site_suspended`, and
   * `svc_monitor_not_found` if the site was deleted.
   */
  async check(site: SiteWithUrlKey): Promise<Heartbeat> {
    if (site.status === 'suspended') throw monitorPausedError();
    const { knex, clock, links, check, recorder } = this.#deps;
    await new MonitorRepository(knex).ensure([site.id], clock.now());
    // Read the target first, because reading it also refreshes the settings.
    const [target] = await links.webTargets([site.id]);
    const { monitor, settings } = await this.get(site.id);
    if (!target) throw monitorNotFoundError();
    const at = clock.now();
    const attempts = await check.run({ target, settings, state: monitor.state });
    const { intervalMinutes } = settings;
    const beat = await recorder.record({ siteId: site.id, at, attempts, intervalMinutes, leaseUntil: null });
    if (beat) return beat;
    const [isSuspended] = await new MonitorRepository(knex).suspendedAmong([site.id]);
    throw isSuspended === undefined ? monitorNotFoundError() : monitorPausedError();
  }

  async setOwn(site: SiteWithUrlKey, own: Partial<MonitorOverrides>, actor: string): Promise<MonitorRecord> {
    const { knex, clock, changeLog, fleet } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const monitors = new MonitorRepository(trx);
      const now = clock.now();
      await monitors.ensure([site.id], now);
      const monitor = (await monitors.lock([site.id])).get(site.id);
      if (!monitor) throw monitorNotFoundError();
      const settings = effectiveMonitorSettings(fleet(), { ...monitor.own, ...own });
      refuseContradictorySettings(settings);
      const { intervalMinutes } = settings;
      // A shorter interval begins now, not when the longer one ends.
      await monitors.setOwn(site.id, own, Math.min(monitor.nextCheckAt, now + intervalMinutes * MINUTE));
      const description = `Settings of the monitor changed: ${describeOverrides(own)}.`;
      const thing = describeChangedObject(
        { name: site.name, key: site.id },
        { ...monitor.own },
        { ...monitor.own, ...own },
      );
      await changeLog.append(trx, { siteId: site.id, type: 'monitor.updated', description, actor, thing });
    });
    return this.get(site.id);
  }

  async #withFigures(records: readonly MonitorRecord[]): Promise<MonitorWithFigures[]> {
    const figures = await this.#figures.of(records, this.#deps.clock.now());
    return records.flatMap((record) => {
      const ofSite = figures.get(record.site.id);
      return ofSite ? [{ ...record, figures: ofSite }] : [];
    });
  }
}

function refuseContradictorySettings({ type, keyword, timeoutSeconds }: MonitorSettings): void {
  new FieldErrors()
    .require('timeoutSeconds', isAllowedTimeout(timeoutSeconds), TIMEOUT_RULE)
    .require('keyword', type !== 'keyword' || keyword.trim() !== '', 'must not be empty for this type')
    .throwIfAny();
}

const describeOverrides = (own: Partial<MonitorOverrides>): string =>
  Object.entries(own)
    .map(([name, value]) => `${name} = ${value === null ? 'default' : JSON.stringify(value)}`)
    .join(', ');

export const heartbeatFilterForLastDays = (days: number, to: number): BeatFilter => ({ from: to - days * DAY, to });

const monitorPausedError = (): ConflictError =>
  new ConflictError('svc_site_suspended', 'The site is suspended, so its monitor is paused.');
