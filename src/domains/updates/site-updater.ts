import type { Knex } from 'knex';
import type { ChildLink, ChildStats, SyncCalls, UpdateCalls } from '../../connector/child-site.ts';
import { combineLeases, LeaseLostError, type Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { mayStillBeRunning, OutcomeUnknownError } from '../../shared/child-call-errors.ts';
import {
  ConflictError,
  DatabaseUnavailableError,
  type DomainError,
  NotFoundError,
  UpdateFailedError,
  type ErrorData,
} from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { StartVerification, VerificationRetries, VerificationCall } from '../jobs/index.ts';
import {
  attemptCall,
  SiteRepository,
  type SiteWithUrlKey,
  type SiteCalls,
  type SiteLeases,
  type SyncService,
} from '../sites/index.ts';
import type { OwnUpdates } from '../uptime/index.ts';
import type { BackupRequirement } from './backup-requirement.ts';
import type { BrokenSiteRecorder } from './broken-site-recorder.ts';
import { settleEarlierRuns, type EarlierRunsDeps } from './earlier-runs.ts';
import type { UpdateGuards } from './guard.ts';
import { planGuards } from './guard-planner.ts';
import { GuardedRun, type GuardedRunDeps } from './guarded-run.ts';
import { findingOf } from './health-finding.ts';
import { ANSWERED, type WatchStart } from './health-readings.ts';
import { brokenWithOf, HealthWatch } from './health-watch.ts';
import { UpdateRules } from './left-out.ts';
import { OpenUpdateStore } from './open-update-store.ts';
import type { SiteHealth } from './site-health.ts';
import {
  toItemResult,
  toUpdateOutcome,
  toUpdateJobResult,
  parseUpdateJobResult,
  type UpdateJobResult,
} from './update-job-result.ts';
import { concludeUpdates, mergeLaterResult, type UpdateOutcome } from './update-outcome.ts';
import { leftOutErrorOf, reportsLeftOut, UpdatePlanner, type SiteUpdateSelection } from './update-planner.ts';
import { UpdateRecorder, type FinishedRun, type UpdateRunItem } from './update-recorder.ts';
import { UpdateRunStore, watchStartOf, type StoredOutcome, type UpdatePlan } from './update-run-store.ts';
import { UpdateSender, type UpdateSendingCourse } from './update-sender.ts';
import type { AppliedUpdate, PendingUpdate, SiteUpdateRunResult, UpdateHealth } from './update.ts';
import { UpdateVerifier, type UnverifiedUpdates } from './update-verifier.ts';
import type { VisibleUpdateTypes } from './visible-update-types.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';

export interface SiteUpdaterDeps {
  knex: Knex;
  child: SyncCalls & UpdateCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  changeLog: ChangeLog;
  leases: SiteLeases;
  clock: Clock;
  looks: VerificationRetries;
  health: SiteHealth;
  guards: UpdateGuards;
  readPageError: GuardedRunDeps['readPageError'];
  /** True if the settings ask for a check of the site after each update. */
  isAlwaysChecked: () => boolean;
  brokenSites: BrokenSiteRecorder;
  ownUpdates: OwnUpdates;
  backups: BackupRequirement;
  shown: VisibleUpdateTypes;
  vulnerable: VulnerabilityDataStatus;
}

/**
 * Updates one site: core, then plugins, themes and translations. The child plugin's reports of success prove nothing.
 * The state of the site is read again at the end, stored and reported, so that it is current without a sync.
 */
export class SiteUpdater {
  readonly #deps: SiteUpdaterDeps;
  readonly #planner: UpdatePlanner;
  readonly #steps: UpdateSender;
  readonly #verifier: UpdateVerifier;
  readonly #recorder: UpdateRecorder;
  readonly #earlierRuns: EarlierRunsDeps;
  readonly #startVerification: StartVerification<UnverifiedUpdates, UpdateJobResult>;

  constructor(deps: SiteUpdaterDeps) {
    this.#deps = deps;
    this.#planner = new UpdatePlanner(deps);
    this.#steps = new UpdateSender(deps);
    this.#verifier = new UpdateVerifier({ ...deps, steps: this.#steps });
    this.#recorder = new UpdateRecorder(deps);
    this.#earlierRuns = { ...deps, verifier: this.#verifier, recorder: this.#recorder };
    this.#startVerification = deps.looks.register({
      changeType: 'update',
      result: parseUpdateJobResult,
      verify: async ({ siteId, actor, jobId, change }: VerificationCall<UnverifiedUpdates | PendingUpdate[]>) => {
        // Releases before 0.2 stored only the list of updates.
        const open = Array.isArray(change) ? { updates: change } : change;
        const { site, ...outcome } = await this.#verifyAgain(siteId, open, actor, jobId);
        return {
          result: toUpdateJobResult(site, mergeLaterResult(outcome, null, jobId)),
          settled: outcome.open.length === 0,
        };
      },
      ended: toItemResult,
    });
  }

  /** Updates WordPress on a site. Throws the error of the update, because a single update has no list of errors. */
  async core(
    siteId: number,
    actor: string,
  ): Promise<{ site: SiteWithUrlKey; update: AppliedUpdate; errors: ItemError[] }> {
    const run = await this.run(siteId, { types: ['core'], slugs: [], complain: 'never' }, actor);
    const [update] = run.updated;
    if (update) return { site: run.site, update, errors: run.errors };
    const [failure] = run.errors;
    if (!failure)
      throw new NotFoundError('svc_no_updates', 'No core update is available for this site, or it is ignored.');
    const { code, message, ...words } = failure;
    const { callError } = run;
    // If the site itself ended the call, its error says more than an unknown outcome.
    if (code === 'svc_outcome_unknown' && callError && !mayStillBeRunning(callError)) throw callError as DomainError;
    if (code === 'svc_outcome_unknown') throw new OutcomeUnknownError(code, message, errorDataOf(words));
    if (code === 'svc_update_failed' || !callError)
      throw new UpdateFailedError('svc_update_failed', message, errorDataOf(words));
    throw callError;
  }

  /**
   * Runs updates on a site. Throws if the site cannot be called at all; later failures are entries in `errors`.
   *
   * With a job item (`item`), its job later checks the updates whose outcome is unknown. Throws `LeaseLostError` if
   * another process may have taken over the work.
   *
   * Without a job item, starts a separate job for that check and waits for it. Throws `svc_outcome_unknown` instead of
   * `LeaseLostError`.
   */
  async run(
    siteId: number,
    choice: SiteUpdateSelection,
    actor: string,
    item: UpdateRunItem | null = null,
  ): Promise<SiteUpdateRunResult> {
    const run = await this.#attempt(siteId, choice, actor, item).catch((error: unknown) => {
      throw !item && error instanceof LeaseLostError ? leaseLostToOutcomeUnknown(error) : error;
    });
    if (item || run.open.length === 0) return run;
    const { open: updates, watched, logPosition } = run;
    const { result, jobId } = await this.#startVerification({ updates, watched, logPosition }, run.site, actor);
    const health = result?.health ?? run.health;
    return { ...run, ...mergeLaterResult(run, result && toUpdateOutcome(result), jobId), health };
  }

  /**
   * Returns the health of a site after a run. A site that an earlier update broke is `broken`, whatever this run has
   * installed, so that a rollout does not take the site as proof that it can go on to the next ring. The updates of
   * this run are not blamed for it.
   */
  async healthAfter(
    { site, health }: Pick<SiteUpdateRunResult, 'site' | 'health'>,
    { checkPage = false }: Pick<SiteUpdateSelection, 'checkPage'>,
  ): Promise<UpdateHealth | null> {
    if (!checkPage || health?.state === 'broken') return health;
    return (await this.#deps.brokenSites.brokenHealth(site.id)) ?? health;
  }

  #attempt(
    siteId: number,
    choice: SiteUpdateSelection,
    actor: string,
    item: UpdateRunItem | null,
  ): Promise<SiteUpdateRunResult> {
    const { leases, calls } = this.#deps;
    return leases.runExclusive(siteId, async (siteLease) => {
      const lease = { ...siteLease, ...(item && combineLeases(item.lease, siteLease)) };
      const pursue = (link: ChildLink, site: SiteWithUrlKey): Promise<SiteUpdateRunResult> =>
        this.#runUpdates(link, site, choice, actor, item, lease);
      try {
        return await calls.run(siteId, pursue, { oneOfMany: item?.oneOfMany ?? false, lease });
      } catch (error) {
        const stored = error instanceof ConflictError && item?.resumed ? await this.#storedRun(siteId, item) : null;
        if (stored) return stored;
        throw error;
      }
    });
  }

  /** Returns the stored outcome of an earlier attempt, if the site was suspended or disconnected since then. */
  async #storedRun(siteId: number, item: UpdateRunItem): Promise<SiteUpdateRunResult | null> {
    const { knex, clock } = this.#deps;
    const run = await new UpdateRunStore(knex).find(item.id);
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!run?.outcome || !site) return null;
    const { logPosition } = run.planned;
    const { open = [], since = 0, health = null, skipped = [], ...outcome } = run.outcome;
    const watched = watchStartOf(run.planned);
    return { site, callError: null, watched, logPosition, ...outcome, open, since, health, skipped };
  }

  async hasBegun(itemId: number): Promise<boolean> {
    return (await new UpdateRunStore(this.#deps.knex).find(itemId)) !== null;
  }

  async #runUpdates(
    link: ChildLink,
    site: SiteWithUrlKey,
    choice: SiteUpdateSelection,
    actor: string,
    item: UpdateRunItem | null,
    lease: Lease,
  ): Promise<SiteUpdateRunResult> {
    const { knex, clock, calls, sync } = this.#deps;
    const runs = new UpdateRunStore(knex);
    const earlier = item?.resumed ? await runs.find(item.id) : null;
    const attempt = { site, link, item, lease, actor };
    if (item && earlier?.outcome)
      return earlier.planned.guarded
        ? this.#resumeGuarded(earlier.planned, earlier.outcome, { ...attempt, item })
        : this.#resume(item, earlier.planned, earlier.outcome, site, link, actor, lease);
    const broken = earlier ? null : await settleEarlierRuns(this.#earlierRuns, { site, link, item, lease });
    if (broken) return broken;
    const plan = earlier?.planned ?? (await this.#planner.plan(site, choice));
    const resumed = earlier !== null;
    if (!earlier && plan.updates.length > 0) await this.#deps.backups.check(site.id);
    const before = resumed || plan.updates.length === 0 ? null : await this.#steps.read(site, link);
    if (before) await this.#planner.dropInstalled(plan, before, { site, link, choice });
    if (before && choice.guard) {
      const isLimited = item?.isLimited ?? false;
      await planGuards(this.#deps.guards, plan, before, {
        ...{ site, choice: choice.guard, actor, isLimited },
        isExact: choice.exact !== undefined,
        isScheduled: choice.isScheduled ?? false,
      });
    }
    if (!earlier && plan.updates.length > 0) {
      plan.watched = await this.#startWatch(site, link, plan, choice);
      plan.logPosition = await this.#deps.changeLog.position(knex);
    }
    const start = watchStartOf(plan);
    const watch = start && new HealthWatch(this.#deps.health, { siteId: site.id, link }, start);
    await inTransaction(knex, async ({ trx }) => {
      if (item && !earlier) await new UpdateRunStore(trx).begin(item.id, plan);
      const { updates, logPosition } = plan;
      const sending = { actor, watched: watchStartOf(plan) };
      if (logPosition !== undefined)
        await new OpenUpdateStore(trx, clock).begin(site.id, updates, { ...sending, logPosition });
    });
    const rules =
      plan.updates.length > 0 ? await this.#planner.rulesOf(site.id, plan.updates, choice) : new UpdateRules([]);
    const guarded = watch && this.#guardedRun(plan, watch, attempt);
    const steps = () => this.#steps.run(plan.updates, { site, link, resumed, before, watch, rules, guarded });
    const course = await (plan.updates.length > 0 ? this.#deps.ownUpdates.record(site.id, steps) : steps());
    const { state, stateNumber: number, stopped } = course;
    if (stopped && sentNothing(course)) {
      await inTransaction(knex, ({ trx }) => new OpenUpdateStore(trx, clock).remove(site.id, plan.updates));
      throw stopped;
    }
    const run = await this.#conclude(plan, course, watch, { site, item, lease, choice }, actor);
    // The result of the run is stored, so the run is returned even if the site was deleted or the database fails here.
    // Unexpected errors are thrown.
    await attemptCall(async () => {
      if (state) await sync.store(site, withoutGuardFiles(state), { complete: false, number });
      if (stopped) await calls.recordRefusal(site.id, stopped);
    }).catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    });
    return run;
  }

  #guardedRun(plan: UpdatePlan, watch: HealthWatch, attempt: RunAttempt): GuardedRun | null {
    const { guarded: records, unguarded = [] } = plan;
    if (!records) return null;
    const { item, ...rest } = attempt;
    const store = async (): Promise<void> => {
      if (!item) return;
      await inTransaction(this.#deps.knex, async ({ trx }) => {
        await attempt.lease.lock(trx);
        await new UpdateRunStore(trx).store(item.id, plan);
      });
    };
    return new GuardedRun(this.#deps, {
      ...{ ...rest, records, unguarded, watch, store },
      ...{ oneOfMany: item?.oneOfMany ?? false, itemId: item?.id ?? null },
    });
  }

  /**
   * Checks the open updates of a guarded run again. Restores the old version of those that turn out to have broken the
   * site.
   */
  async #resumeGuarded(
    plan: UpdatePlan,
    earlier: StoredOutcome,
    attempt: RunAttempt & { item: UpdateRunItem },
  ): Promise<SiteUpdateRunResult> {
    const { site, link, item, lease, actor } = attempt;
    const { open, since, skipped = [] } = earlier;
    const start = watchStartOf(plan);
    const watch = start && new HealthWatch(this.#deps.health, { siteId: site.id, link }, start);
    const guarded = watch && this.#guardedRun(plan, watch, attempt);
    const context = { site, link, resumed: true, before: null, watch, rules: new UpdateRules([]), guarded };
    const isLastLook = this.#deps.looks.next(since, { isPatient: true }) === null;
    const course = await this.#steps.run(open, { ...context, onlyLooks: true, isLastLook });
    const finding = findingOf(watch, { site, at: this.#deps.clock.now(), jobId: item.jobId });
    const health = finding?.health ?? earlier.health ?? null;
    const findings = { readError: course.readError, health: finding?.health ?? null, brokenWith: brokenWithOf(watch) };
    const { changes, renamed, unconfirmed, ...looked } = concludeUpdates(course.steps, findings, site, actor);
    const outcome = { ...mergeLaterResult({ ...earlier, open }, looked), since, health, skipped };
    const stored = { outcome, sent: open, changes, renamed, unconfirmed, finding, logPosition: plan.logPosition };
    await this.#recorder.store({ ...stored, site, item, lease });
    const { state, stateNumber: number } = course;
    if (state)
      await attemptCall(() => this.#deps.sync.store(site, withoutGuardFiles(state), { complete: false, number }));
    return { site, callError: null, watched: start, logPosition: plan.logPosition, ...outcome };
  }

  /** Continues an attempt whose outcome is stored, because its job has not recorded it yet or some updates are open. */
  async #resume(
    item: UpdateRunItem,
    plan: UpdatePlan,
    earlier: StoredOutcome,
    site: SiteWithUrlKey,
    link: ChildLink,
    actor: string,
    lease: Lease,
  ): Promise<SiteUpdateRunResult> {
    const { open = [], since = 0, skipped = [] } = earlier;
    const watched = watchStartOf(plan);
    const { finding, ...looked } = await this.#verifier.verify({ updates: open, watched }, { site, link, actor });
    const health = looked.health ?? earlier.health ?? null;
    const outcome = { ...mergeLaterResult({ ...earlier, open }, looked), since, health, skipped };
    const { changes, renamed, unconfirmed } = looked;
    const { logPosition } = plan;
    await this.#recorder.store({
      site,
      outcome,
      sent: open,
      changes,
      renamed,
      unconfirmed,
      item,
      finding,
      lease,
      logPosition,
    });
    return { site, callError: null, watched, logPosition, ...outcome };
  }

  /**
   * Checks open updates again after the other runs on the site have ended. Those runs may have sent the same updates.
   */
  #verifyAgain(
    siteId: number,
    open: UnverifiedUpdates,
    actor: string,
    jobId: string,
  ): Promise<UpdateOutcome & { site: SiteWithUrlKey; health: UpdateHealth | null }> {
    const { leases, calls } = this.#deps;
    return leases.runExclusive(siteId, (lease) =>
      calls.run(siteId, async (link, site) => {
        const verified = await this.#verifier.verify(open, { site, link, actor });
        const { changes, renamed, unconfirmed, finding, ...outcome } = verified;
        const { updates: sent, logPosition } = open;
        const stored = { outcome: { ...outcome, since: 0 }, sent, changes, renamed, unconfirmed, logPosition };
        await this.#recorder.store({ ...stored, finding: finding && { ...finding, jobId }, site, item: null, lease });
        return { ...outcome, site };
      }),
    );
  }

  /**
   * Takes the readings of the probes before the updates. The site has just answered, so `signed_stats` is well. Returns
   * null if all updates are translations, which cannot break a site, and no thorough check is wanted.
   */
  async #startWatch(
    site: SiteWithUrlKey,
    link: ChildLink,
    { updates }: UpdatePlan,
    { checkPage = false, guard }: SiteUpdateSelection,
  ): Promise<WatchStart | null> {
    const isThorough = checkPage || guard !== undefined || this.#deps.isAlwaysChecked();
    if (!isThorough && updates.every(({ type }) => type === 'translation')) return null;
    const readings = await this.#deps.health.takeUnsigned(site.id, { isExtensive: guard !== undefined, link });
    const before = { ...readings, signed_stats: ANSWERED };
    return { isThorough, before, ...(guard && { isGuarded: true }) };
  }

  /**
   * Ends a run. Stores the change log and the outcome before the state of the site: the next sync can restore the
   * state, but nothing can restore the log and the outcome.
   */
  async #conclude(
    plan: UpdatePlan,
    course: UpdateSendingCourse,
    watch: HealthWatch | null,
    { choice, ...run }: Pick<FinishedRun, 'site' | 'item' | 'lease'> & { choice: SiteUpdateSelection },
    actor: string,
  ): Promise<SiteUpdateRunResult> {
    const { site, item } = run;
    const { steps, stopped, readError } = course;
    const since = this.#deps.clock.now();
    const finding = findingOf(watch, { site, at: since, jobId: item?.jobId });
    const health = finding?.health ?? null;
    const findings = { readError, health, brokenWith: brokenWithOf(watch) };
    const { changes, renamed, unconfirmed, ...concluded } = concludeUpdates(steps, findings, site, actor);
    const isNamed = reportsLeftOut(choice);
    const skipped = [...(plan.skipped ?? []), ...(isNamed ? [] : course.skipped)];
    const leftOut = isNamed ? course.skipped.map((each) => leftOutErrorOf(site, each)) : [];
    const errors = [...leftOut, ...plan.errors, ...concluded.errors];
    const outcome = { ...concluded, errors, skipped, since, health };
    const { updates: sent, logPosition } = plan;
    const stored = { outcome, sent, changes, renamed, unconfirmed, finding, logPosition };
    if (steps.length + course.skipped.length > 0) await this.#recorder.store({ ...run, ...stored });
    const callError = steps.find(({ error }) => error !== null)?.error ?? stopped;
    return { site, callError, watched: watch?.start ?? null, logPosition: plan.logPosition, ...outcome, health };
  }
}

interface RunAttempt {
  site: SiteWithUrlKey;
  link: ChildLink;
  item: UpdateRunItem | null;
  lease: Lease;
  actor: string;
}

const leaseLostToOutcomeUnknown = (cause: LeaseLostError): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The service stood still during this call, and another call has taken over the site. Check its state.',
    {},
    { cause },
  );

const sentNothing = ({ steps }: UpdateSendingCourse): boolean =>
  steps.every(({ sent, unproven }) => !sent && !unproven);

const errorDataOf = ({ reason, child_message, job_id }: Partial<ItemError>): ErrorData => ({
  ...(reason !== undefined && { reason }),
  ...(child_message !== undefined && { child_message }),
  ...(job_id !== undefined && { job_id }),
});

/** The run may have removed its guard files since this reading. Their rows would count as files that are left. */
const withoutGuardFiles = ({ guardFiles: _, ...state }: ChildStats): ChildStats => state;
