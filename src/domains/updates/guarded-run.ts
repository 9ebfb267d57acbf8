import type { ChildLink, ChildStats, UpgradeResult } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChildRefusedError, mayStillBeRunning } from '../../shared/child-call-errors.ts';
import { UpdateFailedError, type DomainError } from '../../shared/errors.ts';
import type { Remainder, UpdateRollback } from '../../shared/item-error.ts';
import { attemptCall, type SiteWithUrlKey } from '../sites/index.ts';
import type {
  GuardedUpdate,
  GuardPackage,
  GuardPhase,
  GuardTask,
  SelfRestored,
  UnguardedUpdate,
  UpdateGuard,
  UpdateGuards,
} from './guard.ts';
import { signedReading } from './health-probes.ts';
import type { HealthWatch } from './health-watch.ts';
import { begunRollback, brokenSecondsOf, FILES_MISSING } from './rollback-outcome.ts';
import { createSentStep } from './update-outcome.ts';
import { phpErrorIn, type PhpError } from './php-error.ts';
import type { HealthComparison } from './site-health.ts';
import { installedPluginOf, isItemMissing, isSame, type PendingUpdate, type UpdateStep } from './update.ts';

export interface GuardedRunDeps {
  clock: Clock;
  guards: UpdateGuards;
  readPageError: (siteId: number) => Promise<PhpError | null>;
}

export interface GuardedRunContext {
  site: SiteWithUrlKey;
  link: ChildLink;
  actor: string;
  lease: Lease;
  oneOfMany: boolean;
  itemId: number | null;
  records: readonly GuardedUpdate[];
  unguarded: readonly UnguardedUpdate[];
  watch: HealthWatch;
  /** Stores the records. Throws `LeaseLostError` if another process may have taken over the run. */
  store: () => Promise<void>;
}

/** Reads the state of the site and stores it in the update steps of the run. Returns the error of the call, or null. */
export type ReadState = () => Promise<DomainError | null>;

/**
 * Carries out guarded updates of a site, and restores the old version of an item whose update breaks it. Each phase is
 * stored before it begins, so that another process can continue after the first one was killed.
 */
export class GuardedRun {
  readonly #deps: GuardedRunDeps;
  readonly #context: GuardedRunContext;

  constructor(deps: GuardedRunDeps, context: GuardedRunContext) {
    this.#deps = deps;
    this.#context = context;
  }

  recordOf(update: PendingUpdate): GuardedUpdate | null {
    return this.#context.records.find((record) => isSame(record, update)) ?? null;
  }

  /**
   * True if the guard put the old version back by itself after an earlier attempt had sent the update. The guard can do
   * that only once, so the update must not be sent again.
   */
  async wasRestored(record: GuardedUpdate, update: PendingUpdate, state: ChildStats | null): Promise<boolean> {
    if (record.phase !== 'updating') return false;
    const task = this.#task(record, createSentStep(update), state);
    return (await this.#selfRestored(this.#deps.guards.get(record.guard), task)) !== null;
  }

  async prepare(record: GuardedUpdate, step: UpdateStep, state: ChildStats | null, read: ReadState): Promise<boolean> {
    await this.#enter(record, 'preparing');
    const guard = this.#deps.guards.get(record.guard);
    const { error } = await attemptCall(() => guard.prepare(this.#task(record, step, state)));
    if (error) {
      step.guardError = error;
      await this.#undo(guard, record, step, read, error);
      return false;
    }
    await this.#enter(record, 'updating');
    return true;
  }

  /**
   * Returns the package from which an update is installed; null if the site must download it itself. If WordPress
   * downloads an update, it puts the site into maintenance mode, which lasts for ten minutes if the call is cut off. An
   * installation from a package uses no maintenance mode.
   */
  targetOf(update: PendingUpdate): GuardPackage | null {
    const unguarded = this.#context.unguarded.find((each) => isSame(each, update));
    return this.recordOf(update)?.target ?? unguarded?.target ?? null;
  }

  callOf(update: PendingUpdate): (() => Promise<UpgradeResult>) | null {
    const target = this.targetOf(update);
    if (!target) return null;
    const { link, site } = this.#context;
    return async () => {
      await this.#deps.guards.packages.install(link, site.id, target.id);
      const { slug, currentVersion: oldVersion } = update;
      const claim = { slug, success: true, oldVersion, version: target.version };
      return { claims: [{ ...claim, errorCode: null, message: null, rolledBack: false }] };
    };
  }

  /** Checks the health of the site after an update, and puts the old version back if the site is broken. */
  async conclude(record: GuardedUpdate, step: UpdateStep, read: ReadState): Promise<void> {
    const guard = this.#deps.guards.get(record.guard);
    if (!step.sent) return this.#undo(guard, record, step, read, step.error);
    if (step.mayStillRun) return;
    if (record.phase !== 'restoring') {
      record.updatedAt ??= this.#deps.clock.now();
      await this.#enter(record, 'checking');
      const { verdict, error, restored } = await this.#prove(guard, record, step, read);
      if (verdict === 'unknown') {
        step.unproven ??= { because: this.#context.watch.unprovenBecause(error), phase: 'checking' };
        return;
      }
      if (verdict === 'well') return this.#release(guard, record, step);
      const { agoMs = null } = restored ?? {};
      if (agoMs !== null) record.restoredAt = Math.max(record.updatedAt, this.#deps.clock.now() - agoMs);
      record.rollback = await this.#startRollback(record, step, error, restored);
      await this.#enter(record, 'restoring');
    }
    await this.#restore(guard, record, step, read);
  }

  /**
   * Judges the site after an update. If the site still has the old version, the verdict is `well`, unless the guard put
   * that version back.
   */
  async #prove(guard: UpdateGuard, record: GuardedUpdate, step: UpdateStep, read: ReadState): Promise<Proof> {
    const { watch } = this.#context;
    let error = step.after === null ? await read() : null;
    const task = this.#task(record, step, step.after);
    if (step.after !== null && versionIn(step.after, step) === record.fallback.version) {
      const restored = await this.#selfRestored(guard, task);
      if (restored) return { verdict: 'broken', error, restored };
      await this.#undo(guard, record, step, read, error);
      return { verdict: step.unproven ? 'unknown' : 'well', error: null };
    }
    let incomplete: DomainError | null = null;
    if (guard.complete && error === null && !isMissing(step))
      ({ incomplete, error } = await this.#complete(guard, task, step, read));
    error = await this.#checkHealth(error, read, () => watch.check());
    // Ask again: a request of the probes can cause the error after which the guard file on the site restores the old
    // version.
    const restored = await this.#selfRestored(guard, task);
    if (restored) return { verdict: 'broken', error: error ?? incomplete, restored };
    const { state } = watch.verdict;
    const isBroken = provesBroken(incomplete) || isMissing(step);
    const isOpen = incomplete !== null || guard.isReleased?.(this.#task(record, step, step.after)) === false;
    const verdict = isBroken ? 'broken' : isOpen && state === 'well' ? 'unknown' : state;
    return { verdict, error: error ?? incomplete };
  }

  /** Checks the site with the probes. Repeats a failed reading of the state: a single failure proves nothing. */
  async #checkHealth(
    readError: DomainError | null,
    read: ReadState,
    check: () => Promise<void>,
  ): Promise<DomainError | null> {
    const { watch } = this.#context;
    await check();
    let error = readError;
    if (error) {
      await watch.pause();
      error = await read();
    }
    watch.recordSigned(signedReading({ error }));
    return error;
  }

  async #restore(guard: UpdateGuard, record: GuardedUpdate, step: UpdateStep, read: ReadState): Promise<void> {
    const { watch } = this.#context;
    const { clock } = this.#deps;
    const restore = () => attemptCall(() => guard.restore(this.#task(record, step, step.after)));
    const check = async () => this.#checkHealth(await read(), read, () => watch.checkRestored(step));
    const isUnreachable = (error: DomainError | null): boolean => error !== null && watch.verdict.state === 'unknown';
    const isInactiveNow = (): boolean => record.wasActive && step.after !== null && !isActiveIn(step.after, step);
    const { error: restoreError } = await restore();
    let restoredAt = record.restoredAt ?? clock.now();
    let error = await check();
    if (restoreError && watch.verdict.state === 'broken') {
      // Try again: a single failure proves nothing.
      await watch.pause();
      await restore();
      restoredAt = record.restoredAt ?? clock.now();
      error = await check();
    }
    let left: readonly Remainder[] = [];
    if (!isUnreachable(error)) {
      left = await this.#remove(guard, record, step);
      // The guard may have activated the plugin when it was removed. No probe has checked the active old version yet.
      if (isInactiveNow()) error = await check();
    }
    if (isUnreachable(error)) {
      // The site cannot be reached, so the old version may not have arrived. A later attempt sends it again.
      step.unproven = { because: watch.unprovenBecause(error), phase: 'restoring' };
      return;
    }
    const { state: health } = watch.verdict;
    const hasOldVersion = step.after !== null && versionIn(step.after, step) === record.fallback.version;
    const isInactive = isInactiveNow();
    const isDone = hasOldVersion && !isInactive && health === 'well';
    const begun = record.rollback ?? rollbackOf(record, step);
    step.rollback = {
      ...begun,
      result: isDone ? 'done' : 'failed',
      broken_seconds: isDone ? brokenSeconds(begun, restoredAt - (record.updatedAt ?? restoredAt)) : null,
      // If only the files were missing, the installation was cut off, and the version itself may be good.
      pin: isDone && begun.cause !== FILES_MISSING ? await this.#leaveOut(record, step) : null,
      left: [
        'database',
        ...(hasOldVersion ? [] : (['new_version'] as const)),
        ...(isInactive ? (['inactive_plugin'] as const) : []),
        ...left,
      ],
    };
    if (health === 'broken') watch.blame(step);
    record.rollback = step.rollback;
    await this.#enter(record, 'done');
  }

  #leaveOut({ type, slug }: GuardedUpdate, { update }: UpdateStep): Promise<string | null> {
    const { site, actor, oneOfMany, lease } = this.#context;
    const item = { type, slug, version: update.newVersion };
    return this.#deps.guards.packages.leaveOut(site.id, item, { actor, oneOfMany, lease });
  }

  /** Makes the guard complete the update, for example activate the plugin again. Repeats a call that broke off. */
  async #complete(
    guard: UpdateGuard,
    task: GuardTask,
    step: UpdateStep,
    read: ReadState,
  ): Promise<{ incomplete: DomainError | null; error: DomainError | null }> {
    const complete = () => attemptCall(async () => guard.complete?.(task));
    const isComplete = (): boolean => guard.isReleased?.(this.#task(task.record, step, step.after)) === true;
    let { error: incomplete } = await complete();
    let error = await read();
    if (mayStillBeRunning(incomplete) && error === null) {
      await this.#context.watch.pause();
      if (!isComplete()) incomplete = (await complete()).error;
      error = await read();
      if (isComplete()) incomplete = null;
    }
    if (!incomplete && error === null && guard.isReleased && !isComplete())
      incomplete = new UpdateFailedError('svc_update_failed', 'The site did not activate the new version.');
    return { incomplete, error };
  }

  /**
   * Makes the guard undo its preparation. Sets `step.unproven` if the state of the site does not show that this has
   * worked.
   */
  async #undo(
    guard: UpdateGuard,
    record: GuardedUpdate,
    step: UpdateStep,
    read: ReadState,
    cause: DomainError | null,
  ): Promise<void> {
    if (!guard.isReleased) return this.#release(guard, record, step);
    let error = step.after === null ? await read() : null;
    const isReleased = (): boolean => guard.isReleased?.(this.#task(record, step, step.after)) === true;
    if (!isReleased()) {
      await this.#remove(guard, record, step);
      error = await read();
    }
    // PHP may go on with a call that broke off, and change the site after this reading.
    if (isReleased() && !mayStillBeRunning(cause)) return this.#enter(record, 'done');
    step.unproven = { because: this.#context.watch.unprovenBecause(error ?? cause), phase: 'preparing' };
    await this.#enter(record, 'checking');
  }

  async #release(guard: UpdateGuard, record: GuardedUpdate, step: UpdateStep): Promise<void> {
    await this.#remove(guard, record, step);
    await this.#enter(record, 'done');
  }

  async #remove(guard: UpdateGuard, record: GuardedUpdate, step: UpdateStep): Promise<readonly Remainder[]> {
    const { value } = await attemptCall(() => guard.release(this.#task(record, step, step.after)));
    return value ?? [];
  }

  async #selfRestored(guard: UpdateGuard, task: GuardTask): Promise<SelfRestored | null> {
    if (!guard.selfRestored) return null;
    const { value } = await attemptCall(async () => (await guard.selfRestored?.(task)) ?? null);
    return value;
  }

  async #startRollback(
    record: GuardedUpdate,
    step: UpdateStep,
    error: DomainError | null,
    restored: SelfRestored | null = null,
  ): Promise<UpdateRollback> {
    const { watch, site } = this.#context;
    const { state, probe } = watch.verdict;
    // The home page, requested as JSON, names the file of the error. Error messages of calls contain no file paths.
    const { value: shown } = await attemptCall(() => this.#deps.readPageError(site.id));
    const read = restored ?? shown;
    const said = error?.data['child_message'];
    const { message = null, file = null, line = null } = read ?? (typeof said === 'string' ? phpErrorIn(said) : {});
    const cause = message ?? (isMissing(step) ? FILES_MISSING : null);
    // Without a result of a probe, the guard put the old version back before the first probe. Until then only signed
    // calls were sent (the update and the reading of the state), so one of them met the error.
    const brokenProbe = restored ? (probe ?? 'signed_stats') : state === 'broken' ? probe : null;
    return { ...rollbackOf(record, step), probe: brokenProbe, cause, file, line };
  }

  #task(record: GuardedUpdate, step: UpdateStep, state: ChildStats | null): GuardTask {
    const { site, link, actor, lease, oneOfMany, itemId } = this.#context;
    return {
      ...{ site, link, actor, lease, oneOfMany, itemId, record, state, update: step.update },
      hasOldVersion: state !== null && versionIn(state, step) === record.fallback.version,
      reinstall: async () => {
        const { id } = record.fallback;
        if (id === null) throw new UpdateFailedError('svc_update_failed', 'The version before has no package.');
        await this.#deps.guards.packages.install(link, site.id, id);
      },
    };
  }

  async #enter(record: GuardedUpdate, phase: GuardPhase): Promise<void> {
    record.phase = phase;
    await this.#context.store();
  }
}

/**
 * True if an activation failed because of the new version. Other errors, for example of a firewall or a short
 * maintenance, say nothing about the version.
 */
const provesBroken = (error: DomainError | null): boolean =>
  error instanceof UpdateFailedError ||
  (error instanceof ChildRefusedError && (error.reason === 'site_fatal' || error.reason === 'aborted'));

interface Proof {
  restored?: SelfRestored;
  verdict: HealthComparison['state'];
  error: DomainError | null;
}

const versionIn = (state: ChildStats, { update }: UpdateStep): string | null =>
  update.type === 'plugin'
    ? (installedPluginOf(state, update)?.version ?? null)
    : (state.themes?.find(({ slug }) => slug === update.slug)?.version ?? null);

const isMissing = ({ after, update }: UpdateStep): boolean => after !== null && isItemMissing(after, update);

const isActiveIn = (state: ChildStats, { update }: UpdateStep): boolean =>
  installedPluginOf(state, update)?.active ?? false;

const rollbackOf = ({ fallback }: GuardedUpdate, { update }: UpdateStep): UpdateRollback =>
  begunRollback({ old_version: fallback.version, new_version: update.newVersion });

const brokenSeconds = ({ probe }: UpdateRollback, milliseconds: number): number =>
  probe === null ? 0 : brokenSecondsOf(milliseconds);
