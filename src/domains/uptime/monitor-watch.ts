import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { readDatabaseTime } from '../../db/database-clock.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import { withEitherSignal } from '../../shared/either-signal.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ChildLinkResolver, WebTarget } from '../sites/index.ts';
import type { MonitorCheckRecorder } from './monitor-check-recorder.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { MonitorCheck } from './monitor-check.ts';
import { MonitorRepository, type Monitor } from './monitor-repository.ts';
import { checkTimeoutMsOf, effectiveMonitorSettings, type MonitorSettings } from './monitor-settings.ts';
import type { CheckedState } from './monitor-state.ts';

const MONITORS_AN_ITEM = 200;
/** Delay between the starts of two checks of a job item, so that its checks are spread over the minute of a run. */
const PACE_MS = 150;
/** Maximum duration of an item. The next run begins after a minute. */
const ITEM_LASTS = 50 * SECOND;
/**
 * Part of the duration of a lease: time to start the checks of a full item and to wait for the rate limits of calls.
 * The timeouts of the checks are added to it.
 */
const LEASE_MARGIN = 4 * MINUTE;
/**
 * After downtime, overdue checks are spread over several runs. A run takes at most this many times the checks that are
 * due per minute.
 */
const CATCH_UP = 2;

/**
 * Maximum number of started checks for each check that may run concurrently (`maxConcurrent`). More checks would wait
 * so long that their leases expire.
 */
const A_PLACE = 2;
/**
 * Number of checks that may always be under way. Some of them may be pausing before their confirmation, when they call
 * no site.
 */
const LEAST_UNDER_WAY = 4;

export interface WatchResult {
  /** Number of started checks. A check that ends after the job item is counted only here. */
  begun: number;
  checked: number;
  up: number;
  pending: number;
  down: number;
}

interface BegunChecks {
  begun: Promise<Heartbeat[]>[];
  /** IDs of the sites whose checks did not begin. */
  unbegun: number[];
}

export interface MonitorWatchDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  links: Pick<ChildLinkResolver, 'webTargets'>;
  check: MonitorCheck;
  recorder: MonitorCheckRecorder;
  fleet: () => MonitorSettings;
  refreshRules: () => Promise<void>;
  maxConcurrent: () => number;
}

export class MonitorWatch {
  readonly #deps: MonitorWatchDeps;
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #awaitingResponse = 0;

  constructor(deps: MonitorWatchDeps) {
    this.#deps = deps;
  }

  releaseStaleLeases(): Promise<void> {
    return new MonitorRepository(this.#deps.knex).releaseAll();
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Aborts the checks under way and releases their leases, so that any process can repeat them. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#underWay);
  }

  async itemsDue(trx: Knex.Transaction): Promise<number> {
    const monitors = new MonitorRepository(trx);
    const { active, intervalMinutes } = this.#deps.fleet();
    const now = await readDatabaseTime(trx, this.#deps.clock);
    if (active) await monitors.insertMissing(now);
    await monitors.bringForward({ active, intervalMinutes }, now);
    const { due, aMinute } = await monitors.load({ active, intervalMinutes }, now);
    return Math.ceil(Math.min(due, Math.max(MONITORS_AN_ITEM, CATCH_UP * aMinute)) / MONITORS_AN_ITEM);
  }

  /**
   * Leases due monitors for a job item, the longest due first, and checks them. A process that continues the item of a
   * dead process gets the leases of that process. An item ends within its minute. Checks of slow sites continue after
   * its end, so that they do not delay the next run. A monitor is released if its check has not started when the item
   * ends or `signal` aborts.
   */
  async checkSome(itemId: number, signal: AbortSignal): Promise<WatchResult> {
    await this.#deps.refreshRules();
    const claim = await this.#claimDue(itemId);
    const until = performance.now() + ITEM_LASTS;
    const { begun, unbegun } = await this.#begin(claim, until, signal);
    await this.#release(unbegun, claim.leaseUntil);
    const beats: Heartbeat[] = [];
    const all = Promise.all(begun.map(async (check) => beats.push(...(await check))));
    const isOver = sleep(Math.max(0, until - performance.now()), undefined, { ref: false });
    await Promise.race(signal.aborted ? [all] : [all, isOver]);
    signal.throwIfAborted();
    return { ...countHeartbeatsByState(beats), begun: begun.length };
  }

  #begin(claim: MonitorLeaseClaim, until: number, signal: AbortSignal): Promise<BegunChecks> {
    return withEitherSignal([signal, this.#stopping.signal], (paused) =>
      this.#beginPaced(claim, until, signal, paused),
    );
  }

  async #beginPaced(
    claim: MonitorLeaseClaim,
    until: number,
    signal: AbortSignal,
    paused: AbortSignal,
  ): Promise<BegunChecks> {
    const targets = await this.#targetsOf(claim.monitors);
    const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: paused }).catch(() => undefined);
    const begun: Promise<Heartbeat[]>[] = [];
    const unbegun: number[] = [];
    const began = performance.now();
    const isOver = (): boolean => paused.aborted || performance.now() >= until;
    for (const [index, monitor] of claim.monitors.entries()) {
      // A pause that took too long shortens the next one.
      const wait = began + index * PACE_MS - performance.now();
      if (wait > 0) await pause(wait);
      // Slow sites can occupy all concurrent checks. A check that starts now would wait and end after its lease
      // expired, and its result would be dropped.
      while (this.#isFull() && !isOver()) await pause(PACE_MS);
      const target = targets.get(monitor.siteId);
      if (!target || isOver()) unbegun.push(monitor.siteId);
      else begun.push(this.#trackedCheck({ monitor, target, leaseUntil: claim.leaseUntil }, signal));
    }
    return { begun, unbegun };
  }

  #isFull(): boolean {
    return this.#awaitingResponse >= Math.max(LEAST_UNDER_WAY, A_PLACE * this.#deps.maxConcurrent());
  }

  /**
   * Makes a check and keeps track of it until it has ended. An aborted check releases its lease. After an internal
   * error, the check is repeated when its lease has expired.
   */
  #trackedCheck(wanted: LeasedCheck, signal: AbortSignal): Promise<Heartbeat[]> {
    const kept = withEitherSignal([signal, this.#ending.signal], (ended) =>
      this.#checkOne(wanted, ended)
        .then((beat) => (beat ? [beat] : []))
        .catch(async (error: unknown) => {
          if (ended.aborted) await this.#release([wanted.monitor.siteId], wanted.leaseUntil);
          else throw error;
          return [];
        }),
    ).catch((error: unknown) => {
      this.#deps.logger.error({ err: error }, 'a check could not be run or recorded; it will be repeated');
      return [];
    });
    this.#underWay.add(kept);
    void kept.finally(() => this.#underWay.delete(kept));
    return kept;
  }

  #release(siteIds: readonly number[], leaseUntil: number): Promise<void> {
    return new MonitorRepository(this.#deps.knex).release(siteIds, leaseUntil);
  }

  async #claimDue(itemId: number): Promise<MonitorLeaseClaim> {
    const { knex, clock } = this.#deps;
    const fleet = this.#deps.fleet();
    return inTransaction(knex, async ({ trx }) => {
      const repository = new MonitorRepository(trx);
      const now = await readDatabaseTime(trx, clock);
      const monitors = await repository.lockDue(fleet, now, MONITORS_AN_ITEM, itemId);
      const longest = Math.max(0, ...monitors.map(({ own }) => checkTimeoutMsOf(effectiveMonitorSettings(fleet, own))));
      const leaseUntil = now + LEASE_MARGIN + 2 * longest;
      await repository.lease(
        monitors.map(({ siteId }) => siteId),
        leaseUntil,
        itemId,
      );
      return { monitors, leaseUntil };
    });
  }

  async #targetsOf(monitors: readonly Monitor[]): Promise<Map<number, WebTarget>> {
    const targets = await this.#deps.links.webTargets(monitors.map(({ siteId }) => siteId));
    return new Map(targets.map((target) => [target.siteId, target]));
  }

  async #checkOne({ monitor, target, leaseUntil }: LeasedCheck, signal: AbortSignal): Promise<Heartbeat | null> {
    const { clock, check, recorder, fleet } = this.#deps;
    const settings = effectiveMonitorSettings(fleet(), monitor.own);
    const at = clock.now();
    this.#awaitingResponse++;
    const attempts = await check
      .run({ target, settings, state: monitor.state }, signal)
      .finally(() => void this.#awaitingResponse--);
    const { intervalMinutes } = settings;
    return recorder.record({ siteId: monitor.siteId, at, attempts, intervalMinutes, leaseUntil });
  }
}

interface LeasedCheck {
  monitor: Monitor;
  target: WebTarget;
  leaseUntil: number;
}

interface MonitorLeaseClaim {
  monitors: Monitor[];
  leaseUntil: number;
}

function countHeartbeatsByState(beats: readonly Heartbeat[]): Omit<WatchResult, 'begun'> {
  const of = (wanted: CheckedState): number => beats.filter(({ state }) => state === wanted).length;
  return { checked: beats.length, up: of('up'), pending: of('pending'), down: of('down') };
}
