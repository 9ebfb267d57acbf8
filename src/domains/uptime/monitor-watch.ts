import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SiteLinks, WebTarget } from '../sites/index.ts';
import type { CheckRecorder } from './check-recorder.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { MonitorCheck } from './monitor-check.ts';
import { MonitorRepository, type Monitor } from './monitor-repository.ts';
import { checkTimeoutMsOf, settingsOf, type MonitorSettings } from './monitor-settings.ts';
import type { CheckedState } from './monitor-state.ts';

/** Monitors that one item of a job checks. */
const MONITORS_AN_ITEM = 200;
/** Between the starts of two checks of an item, so that a run is spread over its minute. */
const PACE_MS = 150;
/** Less than a minute, after which the next run begins. */
const ITEM_LASTS = 50 * SECOND;
/** An item that takes all its monitors, and the wait for the limits of the connector. */
const LEASE_MARGIN = 4 * MINUTE;
/** After downtime the checks are made up for evenly: a run takes no more than so many times what a minute brings. */
const CATCH_UP = 2;

/** Checks under way for each that may run at the same time: those behind wait here, and not beyond their lease. */
const A_PLACE = 2;
/** Those that pause before a confirmation take no place. */
const LEAST_UNDER_WAY = 4;

/** What an item came to. */
export interface Watched {
  /** Checks that it began; those of slow sites end behind it. */
  begun: number;
  checked: number;
  up: number;
  pending: number;
  down: number;
}

export interface MonitorWatchParts {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  links: Pick<SiteLinks, 'webTargets'>;
  check: MonitorCheck;
  recorder: CheckRecorder;
  fleet: () => MonitorSettings;
  /** Has what another process changed of the settings a moment ago count here. */
  lookAtRules: () => Promise<void>;
  /** How many checks may run at the same time. */
  places: () => number;
}

/** Checks the monitors that are due: any number of processes share them by lease. */
export class MonitorWatch {
  readonly #parts: MonitorWatchParts;
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Checks whose sites have not answered yet. */
  #asking = 0;

  constructor(parts: MonitorWatchParts) {
    this.#parts = parts;
  }

  /** On a database of one process: what is leased was left by its dead former self. */
  takeOver(): Promise<void> {
    return new MonitorRepository(this.#parts.knex).releaseAll();
  }

  /** Begins no further check; those under way are waited for with their items. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Gives up what is still under way, and leaves it to whoever comes first. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#underWay);
  }

  /** How many items the monitors that are due now make. */
  async itemsDue(trx: Knex.Transaction): Promise<number> {
    const monitors = new MonitorRepository(trx);
    const { active, intervalMinutes } = this.#parts.fleet();
    const now = this.#parts.clock.now();
    if (active) {
      await monitors.adopt(now);
      await monitors.bringForward({ active, intervalMinutes }, now);
    }
    const { due, aMinute } = await monitors.load({ active, intervalMinutes }, now);
    return Math.ceil(Math.min(due, Math.max(MONITORS_AN_ITEM, CATCH_UP * aMinute)) / MONITORS_AN_ITEM);
  }

  /**
   * Takes the monitors that are longest due, and checks them, in the name of an item: whoever goes on with the item of
   * a dead process takes what that had under way. An item ends within its minute: a site that takes longer to answer is
   * checked on without it, so that it holds up none of the next. What finds no room until then, and what `signal` keeps
   * from being checked, is given back.
   */
  async checkSome(itemId: number, signal: AbortSignal): Promise<Watched> {
    await this.#parts.lookAtRules();
    const claim = await this.#take(itemId);
    const until = performance.now() + ITEM_LASTS;
    const { begun, unbegun } = await this.#begin(claim, until, signal);
    await this.#release(unbegun, claim.leaseUntil);
    const beats: Heartbeat[] = [];
    const all = Promise.all(begun.map(async (check) => beats.push(...(await check))));
    const isOver = sleep(Math.max(0, until - performance.now()), undefined, { ref: false });
    await Promise.race(signal.aborted ? [all] : [all, isOver]);
    signal.throwIfAborted();
    return { ...tallied(beats), begun: begun.length };
  }

  /** Begins one check after the other, until its time is over, or the process or `signal` ends that. */
  async #begin(
    claim: Claim,
    until: number,
    signal: AbortSignal,
  ): Promise<{ begun: Promise<Heartbeat[]>[]; unbegun: number[] }> {
    const targets = await this.#targetsOf(claim.monitors);
    const paused = { signal: AbortSignal.any([signal, this.#stopping.signal]) };
    const pause = (ms: number): Promise<void> => sleep(ms, undefined, paused).catch(() => undefined);
    const begun: Promise<Heartbeat[]>[] = [];
    const unbegun: number[] = [];
    const began = performance.now();
    const isOver = (): boolean => paused.signal.aborted || performance.now() >= until;
    for (const [index, monitor] of claim.monitors.entries()) {
      // A pause that took longer than it should is made up for by the next.
      const wait = began + index * PACE_MS - performance.now();
      if (wait > 0) await pause(wait);
      // Sites that hang fill the places: a check that waited long for one would end behind its lease and count for
      // nothing.
      while (this.#isFull() && !isOver()) await pause(PACE_MS);
      const target = targets.get(monitor.siteId);
      if (!target || isOver()) unbegun.push(monitor.siteId);
      else begun.push(this.#kept({ monitor, target, leaseUntil: claim.leaseUntil }, signal));
    }
    return { begun, unbegun };
  }

  #isFull(): boolean {
    return this.#asking >= Math.max(LEAST_UNDER_WAY, A_PLACE * this.#parts.places());
  }

  /**
   * Makes a check, and remembers it until it has ended. One that is given up is anybody's to make; one that fails on
   * our side is made again when its lease has run out.
   */
  #kept(wanted: WantedCheck, signal: AbortSignal): Promise<Heartbeat[]> {
    const ended = AbortSignal.any([signal, this.#ending.signal]);
    const kept = this.#checkOne(wanted, ended)
      .then((beat) => (beat ? [beat] : []))
      .catch(async (error: unknown) => {
        if (ended.aborted) await this.#release([wanted.monitor.siteId], wanted.leaseUntil);
        else throw error;
        return [];
      })
      .catch((error: unknown) => {
        this.#parts.logger.error({ err: error }, 'a check could not be made or recorded; it is made again');
        return [];
      });
    this.#underWay.add(kept);
    void kept.finally(() => this.#underWay.delete(kept));
    return kept;
  }

  #release(siteIds: readonly number[], leaseUntil: number): Promise<void> {
    return new MonitorRepository(this.#parts.knex).release(siteIds, leaseUntil);
  }

  async #take(itemId: number): Promise<Claim> {
    const { knex, clock } = this.#parts;
    const fleet = this.#parts.fleet();
    return inTransaction(knex, async ({ trx }) => {
      const repository = new MonitorRepository(trx);
      const now = clock.now();
      const monitors = await repository.lockDue(fleet, now, MONITORS_AN_ITEM, itemId);
      const longest = Math.max(0, ...monitors.map(({ own }) => checkTimeoutMsOf(settingsOf(fleet, own))));
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
    const targets = await this.#parts.links.webTargets(monitors.map(({ siteId }) => siteId));
    return new Map(targets.map((target) => [target.siteId, target]));
  }

  async #checkOne({ monitor, target, leaseUntil }: WantedCheck, signal: AbortSignal): Promise<Heartbeat | null> {
    const { clock, check, recorder, fleet } = this.#parts;
    const settings = settingsOf(fleet(), monitor.own);
    const at = clock.now();
    this.#asking++;
    const attempts = await check
      .run({ target, settings, state: monitor.state }, signal)
      .finally(() => void this.#asking--);
    const { intervalMinutes } = settings;
    return recorder.record({ siteId: monitor.siteId, at, attempts, intervalMinutes, leaseUntil });
  }
}

interface WantedCheck {
  monitor: Monitor;
  target: WebTarget;
  leaseUntil: number;
}

/** What an item has taken. */
interface Claim {
  monitors: Monitor[];
  leaseUntil: number;
}

function tallied(beats: readonly Heartbeat[]): Omit<Watched, 'begun'> {
  const of = (wanted: CheckedState): number => beats.filter(({ state }) => state === wanted).length;
  return { checked: beats.length, up: of('up'), pending: of('pending'), down: of('down') };
}
