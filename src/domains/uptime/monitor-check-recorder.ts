import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { Batcher } from '../../shared/batcher.ts';
import { floorToSecond, SECOND, type Clock } from '../../shared/clock.ts';
import type { Alerts, AlertedSite } from '../mail/index.ts';
import { SiteRepository } from '../sites/index.ts';
import { isUp, describeAttempt, type CheckAttempt } from './check-attempt.ts';
import { decisiveAttempt, type Heartbeat } from './heartbeat.ts';
import { HeartbeatRepository, type SiteHeartbeat } from './heartbeat-repository.ts';
import { IncidentRepository, type Incident } from './incident-repository.ts';
import { MonitorRepository, type Monitor } from './monitor-repository.ts';
import { nextCheckAt } from './monitor-settings.ts';
import { MonitorSpanRepository, type MonitorSpan } from './monitor-span-repository.ts';
import { nextMonitorState, withoutOpeningIncident, type Transition } from './monitor-state.ts';
import { continueWatchedPeriod, watchedPeriodLapsesAt } from './watched-period.ts';

export interface MonitorCheckReport {
  siteId: number;
  /** Start of the check, in milliseconds since 1970. */
  at: number;
  attempts: readonly CheckAttempt[];
  intervalMinutes: number;
  /** End of the lease under which the check was made; null for a check that a caller requested. */
  leaseUntil: number | null;
}

type CheckReportWithUpdateFlag = MonitorCheckReport & { isUpdating: boolean };

/** HTTP status of WordPress in maintenance mode, which is on while WordPress replaces files. */
const MAINTENANCE = 503;

interface RecordedCheck {
  beat: Heartbeat | null;
  followers: HealthyListener[];
}

const RECORD_AFTER_MS = 500;
const RECORD_AT = 200;

export interface HealthyVisit {
  siteId: number;
  status: number;
}
export interface HealthyListener {
  /** Selects the sites for which `perform` is called. Runs in the transaction that records the checks. */
  select: (trx: Knex.Transaction, visits: readonly HealthyVisit[]) => Promise<number[]>;
  /** Runs after the commit, and may contact the site. `record` waits for it. */
  perform: (siteId: number) => Promise<unknown>;
}

export interface MonitorCheckRecorderDeps {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  isUpdating: (siteId: number) => Promise<boolean>;
}

/**
 * Records checks. The new state of the monitor, the incident and its alert are stored in one transaction. If the
 * process is killed, the check is lost and repeated, but the three always agree.
 */
export class MonitorCheckRecorder {
  readonly #clock: Clock;
  readonly #alerts: Alerts;
  readonly #isUpdating: (siteId: number) => Promise<boolean>;
  readonly #batches: Batcher<CheckReportWithUpdateFlag, RecordedCheck>;
  readonly #listeners: HealthyListener[] = [];

  constructor({ knex, clock, alerts, isUpdating }: MonitorCheckRecorderDeps) {
    this.#clock = clock;
    this.#isUpdating = isUpdating;
    this.#alerts = alerts;
    this.#batches = new Batcher({
      perform: (reports) => inTransaction(knex, ({ trx }) => this.#store(trx, reports)),
      delayMs: RECORD_AFTER_MS,
      maxItems: RECORD_AT,
    });
  }

  onHealthy(listener: HealthyListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Returns the heartbeat after the commit. Null if the lease has passed to another process, or if the site was
   * suspended or deleted.
   */
  async record(report: MonitorCheckReport): Promise<Heartbeat | null> {
    const isUpdating = report.attempts.at(-1)?.status === MAINTENANCE && (await this.#isUpdating(report.siteId));
    // A check without a lease was requested by a caller, who waits for it, so it is recorded at once.
    const { beat, followers } = await this.#batches.add(
      { ...report, isUpdating },
      { atOnce: report.leaseUntil === null },
    );
    for (const { perform } of followers) await perform(report.siteId);
    return beat;
  }

  async #store(trx: Knex.Transaction, reports: readonly CheckReportWithUpdateFlag[]): Promise<RecordedCheck[]> {
    const monitors = new MonitorRepository(trx);
    const locked = await monitors.lock([...new Set(reports.map(({ siteId }) => siteId))]);
    const suspended = new Set(await monitors.suspendedAmong([...locked.keys()]));
    const outcome = new MonitorCheckBatch(this.#clock.now());
    const beats = reports.map((report) => {
      const monitor = locked.get(report.siteId);
      if (!monitor || (report.leaseUntil !== null && monitor.leaseUntil !== report.leaseUntil)) return null;
      // If a site was suspended during its check, no later check could close an incident that this check opens.
      if (suspended.has(report.siteId)) return null;
      return outcome.take(monitor, report);
    });
    for (const { siteId, leaseUntil } of reports)
      if (suspended.has(siteId) && leaseUntil !== null) await monitors.release([siteId], leaseUntil);
    await new HeartbeatRepository(trx).add(outcome.beats);
    await this.#storeIncidents(trx, outcome);
    await new MonitorSpanRepository(trx).store(outcome.endedPeriods);
    await monitors.storeChecked([...outcome.checked.values()]);
    const visits = outcome.beats.flatMap(healthyVisitsIn);
    const following = new Map<HealthyListener, number[]>();
    if (visits.length > 0)
      for (const listener of this.#listeners) following.set(listener, await listener.select(trx, visits));
    return reports.map(({ siteId }, index) => ({
      beat: beats[index] ?? null,
      followers: this.#listeners.filter((listener) => following.get(listener)?.includes(siteId)),
    }));
  }

  async #storeIncidents(trx: Knex.Transaction, { stateChanges: turns, stillDown }: MonitorCheckBatch): Promise<void> {
    const incidents = new IncidentRepository(trx);
    const sites = new SiteRepository(trx, this.#clock.now());
    for (const { monitor, beat, opens } of turns) {
      const site = await sites.findKeyed(monitor.siteId);
      if (opens) {
        const incident = await incidents.open(monitor.siteId, describeAttempt(decisiveAttempt(beat)), beat);
        monitor.incidentId = incident.id;
        if (site) await this.#raise(trx, site, incident, 'down', beat);
      } else if (monitor.incidentId !== null) {
        const incident = await incidents.close(monitor.incidentId, beat.at);
        monitor.incidentId = null;
        if (site && incident) await this.#raise(trx, site, incident, 'up', beat);
      }
    }
    await incidents.countDown(stillDown.flatMap(({ incidentId }) => incidentId ?? []));
  }

  async #raise(
    trx: Knex.Transaction,
    site: AlertedSite,
    { id, startedAt, endedAt, cause }: Incident,
    state: 'down' | 'up',
    beat: Heartbeat,
  ): Promise<void> {
    const { status: httpStatus } = decisiveAttempt(beat);
    const { name, url } = site;
    const facts = { state, incidentId: String(id), startedAt, endedAt, cause, httpStatus };
    await this.#alerts.raise(trx, {
      type: 'uptime',
      key: `uptime:${id}:${state}`,
      site: { id: site.id, url, name },
      facts,
    });
  }
}

interface MonitorStateChange {
  monitor: Monitor;
  beat: Heartbeat;
  opens: boolean;
}

class MonitorCheckBatch {
  readonly checked = new Map<number, Monitor>();
  readonly beats: SiteHeartbeat[] = [];
  readonly stateChanges: MonitorStateChange[] = [];
  readonly stillDown: Monitor[] = [];
  readonly endedPeriods: MonitorSpan[] = [];
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  take(
    monitor: Monitor,
    { siteId, at, attempts, intervalMinutes, leaseUntil, isUpdating }: CheckReportWithUpdateFlag,
  ): Heartbeat {
    const next = nextMonitorState(monitor.state, attempts.map(isUp));
    const step = isUpdating ? withoutOpeningIncident(next) : next;
    const beat: Heartbeat = {
      at: Math.max(floorToSecond(at), (monitor.lastCheckAt ?? 0) + SECOND),
      state: step.state,
      isChange: step.state !== monitor.state,
      ...(isUpdating && { isDuringUpdate: true as const }),
      attempts,
    };
    monitor.state = step.state;
    monitor.lastCheckAt = beat.at;
    monitor.lastBeat = beat;
    const isScheduled = leaseUntil !== null;
    // A check that a caller requested changes neither the schedule nor the lease of a scheduled check under way.
    if (isScheduled) {
      monitor.leaseUntil = null;
      monitor.nextCheckAt = nextCheckAt(siteId, intervalMinutes, this.#now);
      this.#watch(monitor, beat.at, intervalMinutes);
    }
    this.checked.set(siteId, monitor);
    this.beats.push({ siteId, beat, isScheduled });
    this.#turn(monitor, beat, step);
    return beat;
  }

  #watch(monitor: Monitor, at: number, intervalMinutes: number): void {
    const lapsesAt = watchedPeriodLapsesAt(intervalMinutes, this.#now);
    const { watchedPeriod, ended } = continueWatchedPeriod(monitor.watchedPeriod, { at, lapsesAt });
    monitor.watchedPeriod = watchedPeriod;
    if (ended) this.endedPeriods.push({ siteId: monitor.siteId, kind: 'watched', ...ended });
  }

  #turn(monitor: Monitor, beat: Heartbeat, { state, opens, closes }: Transition): void {
    if (opens || closes) this.stateChanges.push({ monitor, beat, opens });
    else if (state === 'down') this.stillDown.push(monitor);
  }
}

/**
 * Returns the successful page requests of a check. Leaves out checks of type `ping`, which open a connection but
 * request no page.
 */
function healthyVisitsIn({ siteId, beat }: SiteHeartbeat): HealthyVisit[] {
  const { status } = decisiveAttempt(beat);
  return beat.state === 'up' && status > 0 ? [{ siteId, status }] : [];
}
