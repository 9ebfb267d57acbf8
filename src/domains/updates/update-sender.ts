import type { ChildLink, ChildStats, SyncCalls, UpdateCalls, UpgradeResult } from '../../connector/child-site.ts';
import { ChildRefusedError, ChildUnreachableError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { attemptCall, sendChange, type SiteWithUrlKey, type SyncService } from '../sites/index.ts';
import type { GuardedUpdate } from './guard.ts';
import type { GuardedRun } from './guarded-run.ts';
import type { UpdateRules } from './left-out.ts';
import {
  installedVersionOf,
  includesUpdateType,
  isSame,
  type PendingUpdate,
  type UpdateStep,
  type SkippedUpdate,
} from './update.ts';
import { signedReading } from './health-probes.ts';
import type { HealthWatch } from './health-watch.ts';
import { createSentStep, runsWithEveryRequest } from './update-outcome.ts';

export interface UpdateSenderDeps {
  child: SyncCalls & UpdateCalls;
  sync: Pick<SyncService, 'request'>;
}

export interface UpdateSendingContext {
  site: SiteWithUrlKey;
  link: ChildLink;
  /** True if an earlier attempt may have sent some of the updates. */
  resumed: boolean;
  /** State that was read before anything was sent, when none of the updates was installed. Null if `resumed`. */
  before: ChildStats | null;
  watch: HealthWatch | null;
  rules: UpdateRules;
  guarded?: GuardedRun | null;
  /** True if nothing is sent again, because the site may have worked on the updates since an earlier attempt. */
  onlyLooks?: boolean;
  /** True if nobody checks the site again later. An update that is not installed by now has failed. */
  isLastLook?: boolean;
}

export interface UpdateSendingCourse {
  steps: UpdateStep[];
  /** Updates that were not sent, because the site now offers another version, which a rule leaves out. */
  skipped: SkippedUpdate[];
  state: ChildStats | null;
  /** Number of the turn at the site (`SiteTurn.number`) in which the site reported the state. */
  stateNumber: number | undefined;
  /** The error that ended the run early, or that prevented reading the state. */
  stopped: DomainError | null;
  readError: DomainError | null;
}

/**
 * Sends updates to one site, each in a separate call, so that a failure affects no other update. A call that broke off
 * is not repeated: the state is read, and the run continues if the site responds. A call that did not reach the site
 * ends the run.
 */
export class UpdateSender {
  readonly #deps: UpdateSenderDeps;

  constructor(deps: UpdateSenderDeps) {
    this.#deps = deps;
  }

  /**
   * Sends the updates. If `resumed`, reads the state first, so that updates that an earlier attempt installed are not
   * sent again. If that fails, no update is sent, unless a guard can read the state later.
   */
  async run(
    planned: readonly PendingUpdate[],
    {
      site,
      link,
      resumed,
      before,
      watch,
      rules,
      guarded = null,
      onlyLooks = false,
      isLastLook = false,
    }: UpdateSendingContext,
  ): Promise<UpdateSendingCourse> {
    const course: UpdateSendingCourse = {
      steps: [],
      skipped: [],
      state: null,
      stateNumber: undefined,
      stopped: null,
      readError: null,
    };
    if (resumed) await this.#readState(course, site, link);
    const earlier = course.state;
    const blind = resumed && earlier === null;
    if (earlier || before) watch?.recordAnswered();
    const isInUse = (update: PendingUpdate): boolean => runsWithEveryRequest({ update, after: earlier ?? before });
    for (const update of planned) {
      const record = guarded?.recordOf(update) ?? null;
      const done = earlier !== null && installedVersionOf(earlier, update, null) !== null;
      const isBeyond = record !== null && ['checking', 'restoring', 'done'].includes(record.phase);
      const isRestored = record !== null && resumed && (await guarded?.wasRestored(record, update, earlier)) === true;
      const isBegun = record?.phase !== 'planned';
      const wasSent = done || isBeyond || isRestored || ((blind || onlyLooks) && isBegun);
      // Without an earlier state, the site may have been read since the first update of this attempt.
      const known = earlier ?? before ?? course.state;
      const skipped = wasSent || guarded?.targetOf(update) ? null : leftOutOffer(update, known, rules);
      if (skipped) {
        const step: UpdateStep = { ...createSentStep(update), sent: false, after: earlier };
        // An earlier attempt may have prepared the site for the update.
        const isPrepared = record?.phase === 'preparing' || record?.phase === 'updating';
        if (guarded && isPrepared) await this.#conclude(guarded, record, step, course, site, link);
        if (step.unproven) course.steps.push(step);
        else course.skipped.push(skipped);
        continue;
      }
      const step: UpdateStep = { ...createSentStep(update), sent: wasSent, after: wasSent ? earlier : null };
      if (guarded && isGuardable(update) && (!record || record.isUnguarded)) step.isUnguarded = true;
      course.steps.push(step);
      if (record?.phase === 'done') {
        if (record.rollback) step.rollback = record.rollback;
        continue;
      }
      if (step.sent) {
        step.mayStillRun = onlyLooks && !isLastLook && !done && !isBeyond && !isRestored;
        watch?.recordSent(step);
        // If only the reading of the state has failed, the guard still checks the site: the update may have broken it.
        if (guarded && record && course.stopped === course.readError) course.stopped = null;
        if (guarded && record && !course.stopped) await this.#conclude(guarded, record, step, course, site, link);
        continue;
      }
      // While the core files are being replaced, nothing else is sent to the site.
      step.heldBack = course.steps.some(({ update: { type }, mayStillRun }) => type === 'core' && mayStillRun);
      if (step.heldBack) continue;
      const stopped = course.stopped ?? (onlyLooks ? unprovenBefore() : null);
      if (stopped) step.error = stopped;
      else {
        // Check first, so that the effect of an earlier attempt is not attributed to this update.
        if (watch?.isThorough) await watch.check();
        const read = (): Promise<DomainError | null> => this.#readInto(step, course, site, link);
        const isPrepared = !guarded || !record || (await guarded.prepare(record, step, known, read));
        if (step.unproven) course.stopped ??= unprovenBefore();
        if (!isPrepared) continue;
        const install = guarded?.callOf(update);
        step.isInstallation = Boolean(install);
        const isAnswered = await this.#send(step, course, site, link, install);
        if (isAnswered) watch?.recordAnswered();
        if (step.sent) watch?.recordSent(step);
        if (guarded && record) await this.#conclude(guarded, record, step, course, site, link);
        else if (watch?.isThorough || isInUse(update)) await watch?.check();
        if (watch?.hasFatalError) course.stopped ??= brokenBefore();
      }
    }
    await watch?.check();
    // The response to an update still comes from the old version, so a watched site is read once more.
    const isOpen = ({ sent, after, update }: UpdateStep): boolean =>
      sent && guarded?.recordOf(update)?.phase !== 'done' && (after === null || watch?.needsSignedCall === true);
    if (!blind && course.steps.some(isOpen)) {
      await this.#readState(course, site, link);
      watch?.recordSigned(signedReading({ error: course.readError }));
    }
    return course;
  }

  async #send(
    step: UpdateStep,
    course: UpdateSendingCourse,
    site: SiteWithUrlKey,
    link: ChildLink,
    install: (() => Promise<UpgradeResult>) | null | undefined,
  ): Promise<boolean> {
    const { answer, callError, mayHaveRun, mayStillRun } = await sendChange(
      install ?? (() => this.#call(step.update, link)),
    );
    step.error = callError;
    step.sent = mayHaveRun;
    if (!mayHaveRun) {
      course.stopped = callError;
      return false;
    }
    if (callError) await this.#readState(course, site, link);
    step.mayStillRun =
      mayStillRun && (step.after === null || installedVersionOf(step.after, step.update, null) === null);
    if (!answer) return false;
    step.claim = answer.claims.find(({ slug }) => slug === step.update.slug) ?? null;
    const { after } = answer;
    if (after?.plugins && after.themes && after.updates) applySiteStateToSteps(course, after, link);
    return true;
  }

  /** Makes the guard check an update. If the old version was put back, the site is well, and the run continues. */
  async #conclude(
    guarded: GuardedRun,
    record: GuardedUpdate,
    step: UpdateStep,
    course: UpdateSendingCourse,
    site: SiteWithUrlKey,
    link: ChildLink,
  ): Promise<void> {
    const { stopped } = course;
    await guarded.conclude(record, step, () => this.#readInto(step, course, site, link));
    if (step.rollback?.result === 'done') course.stopped = stopped;
    if (step.unproven) course.stopped ??= unprovenBefore();
  }

  async #readInto(
    step: UpdateStep,
    course: UpdateSendingCourse,
    site: SiteWithUrlKey,
    link: ChildLink,
  ): Promise<DomainError | null> {
    step.after = null;
    await this.#readState(course, site, link);
    if (!step.sent && course.readError === null) step.after = course.state;
    return course.readError;
  }

  #call({ type, slug }: PendingUpdate, link: ChildLink): Promise<UpgradeResult> {
    const { child } = this.#deps;
    switch (type) {
      case 'core':
        return child.upgradeCore(link);
      case 'plugin':
        return child.upgradePlugins(link, [slug]);
      case 'theme':
        return child.upgradeThemes(link, [slug]);
      case 'translation':
        return child.upgradeTranslations(link, [slug]);
    }
  }

  async #readState(course: UpdateSendingCourse, site: SiteWithUrlKey, link: ChildLink): Promise<void> {
    const { value: state, error: callError } = await attemptCall(() => this.read(site, link));
    if (state) return applySiteStateToSteps(course, state, link);
    course.readError = callError;
    course.stopped ??= callError;
  }

  async read(site: SiteWithUrlKey, link: ChildLink): Promise<ChildStats> {
    return this.#deps.child.stats(link, await this.#deps.sync.request(site.id));
  }
}

/**
 * Returns the version that the site offers now, if a rule leaves it out. A site installs the version that it offers,
 * which can be later than the version of the last sync.
 */
function leftOutOffer(update: PendingUpdate, state: ChildStats | null, rules: UpdateRules): SkippedUpdate | null {
  const offer = state?.updates?.find((each) => isSame(each, update));
  const offered = offer && { ...update, newVersion: offer.newVersion };
  const leftOut = offered && rules.leftOut(offered);
  return leftOut ? { ...offered, leftOut } : null;
}

const brokenBefore = (): ChildRefusedError =>
  new ChildRefusedError(
    'wordpress',
    'site_fatal',
    'The update was not sent, because the site no longer works since an update before it.',
    { outcome: 'not_run' },
  );

const unprovenBefore = (): ChildUnreachableError =>
  new ChildUnreachableError(
    'http',
    'The update was not sent, because the health of the site could not be proven after an update before it.',
    { outcome: 'not_run' },
  );

const isGuardable = ({ type }: PendingUpdate): boolean => type === 'plugin' || type === 'theme';

function applySiteStateToSteps(course: UpdateSendingCourse, state: ChildStats, { turn }: ChildLink): void {
  course.readError = null;
  course.state = state;
  course.stateNumber = turn?.number;
  for (const step of course.steps) if (step.sent && includesUpdateType(state, step.update)) step.after = state;
}
