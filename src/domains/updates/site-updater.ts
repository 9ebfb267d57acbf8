import type { Knex } from 'knex';
import type { ChildLink, SyncCalls, UpdateCalls } from '../../connector/child-site.ts';
import { combineLeases, LeaseLostError, type Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import {
  ConflictError,
  DatabaseUnavailableError,
  type DomainError,
  mayStillBeRunning,
  NotFoundError,
  OutcomeUnknownError,
  UpdateFailedError,
  type ErrorData,
  type ItemError,
} from '../../shared/errors.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
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
import type { BrokenSiteRecorder, HealthFinding } from './broken-site-recorder.ts';
import type { WatchStart } from './health-readings.ts';
import { signedReading } from './health-probes.ts';
import { moveIgnoreRules, type RenamedPlugin } from './ignore-rule-moves.ts';
import { HealthWatch } from './health-watch.ts';
import type { SiteHealth } from './site-health.ts';
import type { VisibleUpdateTypes } from './visible-update-types.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';
import {
  isSame,
  type AppliedUpdate,
  type PendingUpdate,
  type SiteUpdateRunResult,
  type UpdateHealth,
  type UpdateStep,
} from './update.ts';
import {
  appliedUpdateOf,
  concludeUpdates,
  createOpenSteps,
  mergeLaterResult,
  type UpdateOutcome,
} from './update-outcome.ts';
import {
  toItemResult,
  toUpdateOutcome,
  toUpdateJobResult,
  parseUpdateJobResult,
  type UpdateJobResult,
} from './update-job-result.ts';
import { OpenUpdateStore, type OpenUpdate } from './open-update-store.ts';
import { UpdateRunStore, watchStartOf, type StoredOutcome, type UpdatePlan } from './update-run-store.ts';
import { UpdatePlanner, type SiteUpdateSelection } from './update-planner.ts';
import { UpdateSender, type UpdateSendingCourse } from './update-sender.ts';

interface UnverifiedUpdates {
  updates: PendingUpdate[];
  watched?: WatchStart | null;
  /** Status of the home page, as releases before 0.2 stored it. */
  pageBefore?: number | null;
  logPosition?: number | undefined;
}

interface StoredRun {
  site: SiteWithUrlKey;
  outcome: StoredOutcome;
  /** Updates that this run was to send, or whose outcome was open. */
  sent: readonly PendingUpdate[];
  changes: Change[];
  renamed: readonly RenamedPlugin[];
  item: UpdateRunItem | null;
  finding: HealthFinding | null;
  lease: Lease;
  /**
   * Position of the change log before the first update. Another run or a sync may have logged the updates behind it.
   * Missing in plans of releases before 0.2.
   */
  logPosition: number | undefined;
  /** Updates that the site may have installed. */
  unconfirmed: readonly PendingUpdate[];
}

export interface UpdateRunItem {
  id: number;
  jobId?: string;
  resumed: boolean;
  oneOfMany?: boolean;
  lease: Lease;
}

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
  /** True if the settings ask for a check around each update. */
  isAlwaysChecked: () => boolean;
  brokenSites: BrokenSiteRecorder;
  ownUpdates: OwnUpdates;
  backups: BackupRequirement;
  shown: VisibleUpdateTypes;
  vulnerable: VulnerabilityDataStatus;
}

/**
 * Updates one site: core, then plugins, themes and translations. The claims of the child prove nothing. The state is
 * read back at the end, stored and reported, so that it is current without a sync.
 */
export class SiteUpdater {
  readonly #deps: SiteUpdaterDeps;
  readonly #planner: UpdatePlanner;
  readonly #steps: UpdateSender;
  readonly #startVerification: StartVerification<UnverifiedUpdates, UpdateJobResult>;

  constructor(deps: SiteUpdaterDeps) {
    this.#deps = deps;
    this.#planner = new UpdatePlanner(deps);
    this.#steps = new UpdateSender(deps);
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
   * Runs updates on a site. Throws if the site cannot be called at all; later failures are entries in `errors`. Updates
   * with an unknown outcome are checked again: by the job of `item`, or without an item by a separate job, for which
   * this call waits. Throws `LeaseLostError` if another process may have taken over the item, and without an item
   * `svc_outcome_unknown`.
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

  /** Returns the stored outcome of an earlier attempt, for a site that must not be called any more. */
  async #storedRun(siteId: number, item: UpdateRunItem): Promise<SiteUpdateRunResult | null> {
    const { knex, clock } = this.#deps;
    const run = await new UpdateRunStore(knex).find(item.id);
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!run?.outcome || !site) return null;
    const { logPosition } = run.planned;
    const { open = [], since = 0, health = null, ...outcome } = run.outcome;
    const watched = watchStartOf(run.planned);
    return { site, callError: null, watched, logPosition, ...outcome, open, since, health };
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
    if (item && earlier?.outcome) return this.#resume(item, earlier.planned, earlier.outcome, site, link, actor, lease);
    const broken = earlier ? null : await this.#settleEarlierRuns(site, link, item, lease);
    if (broken) return broken;
    const plan = earlier?.planned ?? (await this.#planner.plan(site, choice));
    const resumed = earlier !== null;
    if (!earlier && plan.updates.length > 0) await this.#deps.backups.check(site.id);
    const before = resumed || plan.updates.length === 0 ? null : await this.#steps.read(site, link);
    if (before) await this.#planner.dropInstalled(plan, before, { site, link, choice });
    if (!earlier && plan.updates.length > 0) {
      plan.watched = await this.#startWatch(site, plan, choice);
      plan.logPosition = await this.#deps.changeLog.position(knex);
    }
    const watch = this.#watch(site, watchStartOf(plan));
    if (item && !earlier) await runs.begin(item.id, plan);
    const { logPosition } = plan;
    const open = new OpenUpdateStore(knex, clock);
    if (logPosition !== undefined)
      await open.begin(site.id, plan.updates, { actor, logPosition, watched: watchStartOf(plan) });
    const steps = () => this.#steps.run(plan.updates, { site, link, resumed, before, watch });
    const course = await (plan.updates.length > 0 ? this.#deps.ownUpdates.record(site.id, steps) : steps());
    const { state, stateNumber: number, stopped } = course;
    if (stopped && sentNothing(course)) {
      await open.remove(site.id, plan.updates);
      throw stopped;
    }
    const run = await this.#conclude(plan, course, watch, { site, item, lease }, actor);
    // An error here does not change the result of the run, which is stored.
    await attemptCall(async () => {
      if (state) await sync.store(site, state, { complete: false, number });
      if (stopped) await calls.recordRefusal(site.id, stopped);
    }).catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    });
    return run;
  }

  /**
   * Finds out what became of the updates that earlier runs left open, and logs those that are installed. Returns the
   * result of this run if one of them has broken the site: then nothing more is sent to it.
   */
  async #settleEarlierRuns(
    site: SiteWithUrlKey,
    link: ChildLink,
    item: UpdateRunItem | null,
    lease: Lease,
  ): Promise<SiteUpdateRunResult | null> {
    const { knex, clock } = this.#deps;
    const open = await new OpenUpdateStore(knex, clock).of(site.id);
    for (const { actor, logPosition, watched } of firstOfEachRun(open)) {
      const updates = open.filter((each) => each.actor === actor && each.logPosition === logPosition);
      const { changes, renamed, unconfirmed, finding, health, ...looked } = await this.#verify(
        { updates, watched, logPosition },
        site,
        link,
        actor,
      );
      const isBroken = health?.state === 'broken';
      const outcome: StoredOutcome = { ...looked, updated: [], open: [], since: clock.now(), health };
      const plan = { updates: [], errors: [], watched, logPosition };
      if (item && isBroken) await new UpdateRunStore(knex).begin(item.id, plan);
      await this.#store({
        ...{ site, outcome, sent: updates, changes, renamed, unconfirmed, logPosition, lease },
        finding: finding && { ...finding, jobId: item?.jobId ?? null },
        item: isBroken ? item : null,
      });
      if (isBroken) return { site, callError: null, watched, logPosition, ...outcome, health };
    }
    return null;
  }

  /** Continues an attempt whose outcome is stored: its job has not recorded it yet, or some updates are open. */
  async #resume(
    item: UpdateRunItem,
    plan: UpdatePlan,
    earlier: StoredOutcome,
    site: SiteWithUrlKey,
    link: ChildLink,
    actor: string,
    lease: Lease,
  ): Promise<SiteUpdateRunResult> {
    const { open = [], since = 0 } = earlier;
    const watched = watchStartOf(plan);
    const { finding, ...looked } = await this.#verify({ updates: open, watched }, site, link, actor);
    const health = looked.health ?? earlier.health ?? null;
    const outcome = { ...mergeLaterResult({ ...earlier, open }, looked), since, health };
    const { changes, renamed, unconfirmed } = looked;
    const { logPosition } = plan;
    await this.#store({ site, outcome, sent: open, changes, renamed, unconfirmed, item, finding, lease, logPosition });
    return { site, callError: null, watched, logPosition, ...outcome };
  }

  /** Waits for other runs on the site, because their updates may be the ones that are open here. */
  #verifyAgain(
    siteId: number,
    open: UnverifiedUpdates,
    actor: string,
    jobId: string,
  ): Promise<UpdateOutcome & { site: SiteWithUrlKey; health: UpdateHealth | null }> {
    const { leases, calls } = this.#deps;
    return leases.runExclusive(siteId, (lease) =>
      calls.run(siteId, async (link, site) => {
        const { changes, renamed, unconfirmed, finding, ...outcome } = await this.#verify(open, site, link, actor);
        const { updates: sent, logPosition } = open;
        const stored = { outcome: { ...outcome, since: 0 }, sent, changes, renamed, unconfirmed, logPosition };
        await this.#store({ ...stored, finding: finding && { ...finding, jobId }, site, item: null, lease });
        return { ...outcome, site };
      }),
    );
  }

  async #verify(open: UnverifiedUpdates, site: SiteWithUrlKey, link: ChildLink, actor: string) {
    // A site in maintenance mode does not respond for a while, so a failed read is not an error here.
    const { value: state, error } = await attemptCall(() => this.#steps.read(site, link));
    const number = link.turn?.number;
    if (state) await attemptCall(() => this.#deps.sync.store(site, state, { complete: false, number }));
    const steps = createOpenSteps(open.updates, state);
    const watch = state && this.#watch(site, watchStartOf(open));
    watch?.recordSent(...steps.map((step) => ({ ...step, mayStillRun: appliedUpdateOf(step) === null })));
    await watch?.check();
    watch?.recordSigned(signedReading({ error }));
    const { health, finding } = this.#findingOf(watch, site, null);
    return {
      ...concludeUpdates(steps, { readError: null, health, brokenWith: brokenWithOf(watch) }, site, actor),
      health,
      finding,
    };
  }

  /**
   * Stores the log, the outcome, the finding and the rules of renamed plugins in one transaction, so that a resumed
   * attempt reports nothing twice. An update that another run has logged meanwhile gets no second entry. Throws
   * `LeaseLostError`, and stores nothing, if another process may have taken over the work.
   */
  async #store(run: StoredRun): Promise<void> {
    const { site, outcome, sent, changes, renamed, unconfirmed, item, finding, lease, logPosition } = run;
    const { knex, clock, changeLog, brokenSites } = this.#deps;
    if (!item && changes.length === 0 && !finding && sent.length === 0) return;
    await inTransaction(knex, async ({ trx }) => {
      await lease.lock(trx);
      // Before the log is read, so that a sync that logs the same update at this moment has ended.
      const settled = sent.filter((update) => !unconfirmed.some((each) => isSame(each, update)));
      await new OpenUpdateStore(trx, clock).remove(site.id, settled);
      if (item) await new UpdateRunStore(trx).end(item.id, outcome);
      const isNew = logPosition === undefined || changes.length === 0;
      const unlogged = isNew ? changes : await changeLog.withoutLogged(trx, site.id, changes, logPosition);
      const moved = await moveIgnoreRules(trx, site.id, renamed, clock.now());
      if (unlogged.length + moved.length > 0) await changeLog.append(trx, ...unlogged, ...moved);
      if (finding) await brokenSites.record(trx, finding);
    });
  }

  /** Takes the readings before the updates. Translations cannot break a site. */
  async #startWatch(
    site: SiteWithUrlKey,
    { updates }: UpdatePlan,
    { checkPage = false }: SiteUpdateSelection,
  ): Promise<WatchStart | null> {
    const isThorough = checkPage || this.#deps.isAlwaysChecked();
    if (!isThorough && updates.every(({ type }) => type === 'translation')) return null;
    return { isThorough, before: await this.#deps.health.takeUnsigned(site.id) };
  }

  #watch(site: SiteWithUrlKey, start: WatchStart | null): HealthWatch | null {
    return start && new HealthWatch(this.#deps.health, site.id, start);
  }

  #findingOf(watch: HealthWatch | null, site: SiteWithUrlKey, item: UpdateRunItem | null) {
    const health = watch?.health ?? null;
    if (!watch || !health) return { health: null, finding: null };
    const updates = watch.brokenBy.map((step) => {
      const applied = appliedUpdateOf(step);
      const { type, slug, name, currentVersion, newVersion } = step.update;
      const fromVersion = applied?.oldVersion ?? currentVersion;
      return { type, slug, name, fromVersion, toVersion: applied?.newVersion ?? newVersion };
    });
    const { readings } = watch;
    const at = this.#deps.clock.now();
    const finding: HealthFinding = { site, health, readings, updates, at, jobId: item?.jobId ?? null };
    return { health, finding };
  }

  /**
   * Ends a run. Stores the log and the outcome before the site's state: the next sync can restore the state, but
   * nothing can restore these.
   */
  async #conclude(
    plan: UpdatePlan,
    course: UpdateSendingCourse,
    watch: HealthWatch | null,
    run: Pick<StoredRun, 'site' | 'item' | 'lease'>,
    actor: string,
  ): Promise<SiteUpdateRunResult> {
    const { site, item } = run;
    const { steps, stopped, readError } = course;
    const { health, finding } = this.#findingOf(watch, site, item);
    const findings = { readError, health, brokenWith: brokenWithOf(watch) };
    const { changes, renamed, unconfirmed, ...concluded } = concludeUpdates(steps, findings, site, actor);
    const since = this.#deps.clock.now();
    const outcome: StoredOutcome = { ...concluded, errors: [...plan.errors, ...concluded.errors], since, health };
    const { updates: sent, logPosition } = plan;
    const stored = { outcome, sent, changes, renamed, unconfirmed, finding, logPosition };
    if (steps.length > 0) await this.#store({ ...run, ...stored });
    const callError = steps.find(({ error }) => error !== null)?.error ?? stopped;
    return { site, callError, watched: watch?.start ?? null, logPosition: plan.logPosition, ...outcome, health };
  }
}

const firstOfEachRun = (open: readonly OpenUpdate[]): OpenUpdate[] =>
  open.filter(
    ({ actor, logPosition }, index) =>
      open.findIndex((each) => each.actor === actor && each.logPosition === logPosition) === index,
  );

const leaseLostToOutcomeUnknown = (cause: LeaseLostError): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The service stood still during this call, and another call has taken over the site. Check its state.',
    {},
    { cause },
  );

const brokenWithOf =
  (watch: HealthWatch | null) =>
  (step: UpdateStep): UpdateHealth | null =>
    watch?.health && watch.brokenBy.some(({ update }) => isSame(update, step.update)) ? watch.health : null;

const sentNothing = ({ steps }: UpdateSendingCourse): boolean => steps.every(({ sent }) => !sent);

const errorDataOf = ({ reason, child_message, job_id }: Partial<ItemError>): ErrorData => ({
  ...(reason !== undefined && { reason }),
  ...(child_message !== undefined && { child_message }),
  ...(job_id !== undefined && { job_id }),
});
