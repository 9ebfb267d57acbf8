import type { Knex } from 'knex';
import type { ChildLink, SyncCalls, UpdateCalls } from '../../connector/child-site.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import {
  type DomainError,
  isStillAtWork,
  NotFoundError,
  OutcomeUnknownError,
  UpdateFailedError,
  type ErrorData,
  type ItemError,
} from '../../shared/errors.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import type { Follow, LaterLooks, LookCall } from '../jobs/index.ts';
import { attempt, type KeyedSite, type SiteCalls, type SiteLeases, type SyncService } from '../sites/index.ts';
import type { BackupRule } from './backup-rule.ts';
import type { BrokenSites, PageFinding } from './broken-sites.ts';
import type { HomePage } from './home-page.ts';
import { PageWatch } from './page-watch.ts';
import { meantTypes, type ShownTypes } from './shown-types.ts';
import type { KnownVulnerable } from './known-vulnerable.ts';
import {
  broughtTo,
  type AppliedUpdate,
  type PageHealth,
  type PendingUpdate,
  type SiteRun,
  type Step,
  type UpdateType,
} from './update.ts';
import { appliedIn, conclude, isInUse, openSteps, placeOf, settle, type Outcome } from './update-failures.ts';
import { outcomeIn, resultOf, updateResult, type UpdateJobResult } from './update-job-result.ts';
import { UpdateRepository } from './update-repository.ts';
import { UpdateRunStore, type KeptOutcome, type Plan } from './update-run-store.ts';
import { UpdateSteps, type Course } from './update-steps.ts';

/** Which of the updates of a site are meant. */
export interface UpdateChoice {
  /** Empty means all that lists show, or with slugs all. */
  types: readonly UpdateType[];
  /** Empty means all. */
  slugs: readonly string[];
  /**
   * What a slug that is not updated amounts to: an error wherever it is ignored (`ignored`) or also where there is
   * nothing to update (`missing`), or nothing at all, because the slugs only narrow what is found.
   */
  complain: 'missing' | 'ignored' | 'never';
  /** The home page is looked at around each update, whatever the settings say. */
  checkPage?: boolean;
  /** Only what was first seen until then, in milliseconds since 1970. */
  seenBefore?: number;
  /** Only items that a vulnerability exposes on the site. */
  onlyVulnerable?: boolean;
}

/** What of a run is open, and what the home page answered before it; null where nobody asked. */
interface OpenRun {
  updates: PendingUpdate[];
  pageBefore: number | null;
}

/** The item of a job that a run belongs to. */
export interface RunItem {
  id: number;
  jobId?: string;
  /** An earlier attempt was interrupted. */
  resumed: boolean;
  /** Its job has further sites. */
  oneOfMany?: boolean;
}

export interface SiteUpdaterParts {
  knex: Knex;
  child: SyncCalls & UpdateCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  changeLog: ChangeLog;
  leases: SiteLeases;
  clock: Clock;
  looks: LaterLooks;
  page: HomePage;
  brokenSites: BrokenSites;
  backups: BackupRule;
  shown: ShownTypes;
  vulnerable: KnownVulnerable;
}

/**
 * Updates one site: core, then plugins, themes and translations. What the child claims decides nothing: its state is
 * read back at the end, stored and reported, so that the next read is true without a sync.
 */
export class SiteUpdater {
  readonly #parts: SiteUpdaterParts;
  readonly #steps: UpdateSteps;
  readonly #follow: Follow<OpenRun, UpdateJobResult>;

  constructor(parts: SiteUpdaterParts) {
    this.#parts = parts;
    this.#steps = new UpdateSteps(parts);
    this.#follow = parts.looks.add({
      of: 'update',
      result: updateResult,
      look: async ({ siteId, actor, jobId, change }: LookCall<OpenRun | PendingUpdate[]>) => {
        // Releases before 0.3 kept the updates alone.
        const open = Array.isArray(change) ? { updates: change, pageBefore: null } : change;
        const { site, ...outcome } = await this.#lookAgain(siteId, open, actor, jobId);
        return { result: resultOf(site, settle(outcome, null, jobId)), settled: outcome.open.length === 0 };
      },
    });
  }

  /** The core alone has no list of errors: what failed is thrown. */
  async core(siteId: number, actor: string): Promise<{ site: KeyedSite; update: AppliedUpdate }> {
    const run = await this.run(siteId, { types: ['core'], slugs: [], complain: 'never' }, actor);
    const [update] = run.updated;
    if (update) return { site: run.site, update };
    const [failure] = run.errors;
    if (!failure) throw new NotFoundError('svc_no_updates', 'No core update waits on this site, or it is ignored.');
    const { code, message, ...words } = failure;
    const { broken } = run;
    // Where the site ended the call by itself, what ails it says more than that the outcome is unknown.
    if (code === 'svc_outcome_unknown' && broken && !isStillAtWork(broken)) throw broken as DomainError;
    if (code === 'svc_outcome_unknown') throw new OutcomeUnknownError(code, message, dataOf(words));
    if (code === 'svc_update_failed' || !broken)
      throw new UpdateFailedError('svc_update_failed', message, dataOf(words));
    throw broken;
  }

  /**
   * Throws when the site cannot be called at all; what fails later is an item in `errors`. What is open afterwards is
   * looked at again: by the job that the run is an item of, or else by one of its own, for which the caller waits.
   */
  async run(siteId: number, choice: UpdateChoice, actor: string, item: RunItem | null = null): Promise<SiteRun> {
    const run = await this.#attempt(siteId, choice, actor, item);
    if (item || run.open.length === 0) return run;
    const { open: updates, pageBefore } = run;
    const { result, jobId } = await this.#follow({ updates, pageBefore }, run.site, actor);
    const health = result?.health ?? run.health;
    return { ...run, ...settle(run, result && outcomeIn(result), jobId), health };
  }

  #attempt(siteId: number, choice: UpdateChoice, actor: string, item: RunItem | null): Promise<SiteRun> {
    const { leases, calls } = this.#parts;
    const pursue = (link: ChildLink, site: KeyedSite): Promise<SiteRun> =>
      this.#pursue(link, site, choice, actor, item);
    return leases.hold(siteId, () => calls.run(siteId, pursue, { oneOfMany: item?.oneOfMany ?? false }));
  }

  async #pursue(
    link: ChildLink,
    site: KeyedSite,
    choice: UpdateChoice,
    actor: string,
    item: RunItem | null,
  ): Promise<SiteRun> {
    const { knex, calls, sync } = this.#parts;
    const runs = new UpdateRunStore(knex);
    const earlier = item?.resumed ? await runs.find(item.id) : null;
    if (item && earlier?.outcome) return this.#resume(item, earlier.planned, earlier.outcome, site, link, actor);
    const plan = earlier?.planned ?? (await this.#plan(site, choice));
    if (!earlier && plan.updates.length > 0) {
      await this.#parts.backups.check(site.id);
      plan.pageBefore = await this.#pageBefore(site, choice);
    }
    const { pageBefore = null } = plan;
    const watch = pageBefore === null ? null : new PageWatch(this.#parts.page, site.id, pageBefore);
    if (item && !earlier) await runs.begin(item.id, plan);
    const course = await this.#steps.take(plan.updates, { site, link, resumed: earlier !== null, watch });
    const { state, stopped } = course;
    if (stopped && isHopeless(course)) throw stopped;
    const run = await this.#conclude(plan, course, watch, site, actor, item);
    // The run stands, whatever comes of this.
    await attempt(async () => {
      if (state) await sync.store(site, state, { complete: false });
      if (stopped) await calls.remember(site.id, stopped);
    });
    return run;
  }

  /** An attempt that came to its end: only its job did not record it, or it has left something open. */
  async #resume(
    item: RunItem,
    { pageBefore = null }: Plan,
    earlier: KeptOutcome,
    site: KeyedSite,
    link: ChildLink,
    actor: string,
  ): Promise<SiteRun> {
    const { open = [], since = 0 } = earlier;
    const { finding, ...looked } = await this.#look({ updates: open, pageBefore }, site, link, actor);
    const health = looked.health ?? earlier.health ?? null;
    const outcome = { ...settle({ ...earlier, open }, looked), since, health };
    await this.#keep(outcome, looked.changes, item, finding);
    return { site, broken: null, pageBefore, ...outcome };
  }

  #lookAgain(
    siteId: number,
    open: OpenRun,
    actor: string,
    jobId: string,
  ): Promise<Outcome & { site: KeyedSite; health: PageHealth | null }> {
    return this.#parts.calls.run(siteId, async (link, site) => {
      const { changes, finding, ...outcome } = await this.#look(open, site, link, actor);
      await this.#keep({ ...outcome, since: 0 }, changes, null, finding && { ...finding, jobId });
      return { ...outcome, site };
    });
  }

  async #look({ updates, pageBefore }: OpenRun, site: KeyedSite, link: ChildLink, actor: string) {
    // In maintenance mode the site cannot be asked for a while.
    const { value: state } = await attempt(() => this.#steps.read(site, link));
    if (state) await attempt(() => this.#parts.sync.store(site, state, { complete: false }));
    const steps = openSteps(updates, state);
    const watch = state && pageBefore !== null ? new PageWatch(this.#parts.page, site.id, pageBefore) : null;
    // What has come about is over.
    watch?.sent(...steps.map((step) => ({ ...step, atWork: appliedIn(step) === null })));
    await watch?.look();
    const brokenWith = statusAfter(watch);
    return { ...conclude(steps, { unread: null, brokenWith }, site, actor), ...this.#found(watch, site, null) };
  }

  /** The log, the outcome and what was found go together: an attempt that is resumed tells nothing twice. */
  async #keep(
    outcome: KeptOutcome,
    changes: Change[],
    item: RunItem | null,
    finding: PageFinding | null,
  ): Promise<void> {
    const { knex, changeLog, brokenSites } = this.#parts;
    if (!item && changes.length === 0 && !finding) return;
    await inTransaction(knex, async ({ trx }) => {
      if (item) await new UpdateRunStore(trx).end(item.id, outcome);
      if (changes.length > 0) await changeLog.append(trx, ...changes);
      if (finding) await brokenSites.record(trx, finding);
    });
  }

  async #pageBefore(site: KeyedSite, { checkPage = false }: UpdateChoice): Promise<number | null> {
    const { page } = this.#parts;
    return checkPage || page.isChecked() ? page.look(site.id) : null;
  }

  #found(watch: PageWatch | null, site: KeyedSite, item: RunItem | null) {
    const health = watch?.health ?? null;
    if (!watch || !health) return { health, finding: null };
    const updates = watch.brokenBy.map(({ update, claim, ...step }) => {
      const applied = appliedIn({ update, claim, ...step });
      const { type, slug, name, currentVersion, newVersion } = update;
      const fromVersion = applied?.oldVersion ?? currentVersion;
      return { type, slug, name, fromVersion, toVersion: applied?.newVersion ?? newVersion };
    });
    const finding: PageFinding = { site, health, updates, at: this.#parts.clock.now(), jobId: item?.jobId ?? null };
    return { health, finding };
  }

  async #plan(site: KeyedSite, choice: UpdateChoice): Promise<Plan> {
    const { types, slugs, complain, seenBefore = Infinity, onlyVulnerable = false } = choice;
    const chosen = meantTypes({ types, slugs }, this.#parts.shown);
    const wanted = new Set(slugs);
    const fits = ({ type, slug }: PendingUpdate): boolean =>
      chosen.includes(type) && (wanted.size === 0 || wanted.has(slug));
    const isKnown = !onlyVulnerable || (await this.#parts.vulnerable.areKnown());
    const waiting = isKnown ? await new UpdateRepository(this.#parts.knex).of(site.id, { onlyVulnerable }) : [];
    const fitting = waiting.filter((update) => fits(update) && update.firstSeenAt <= seenBefore);
    const errors: ItemError[] = [];
    if (complain !== 'never' && wanted.size > 0)
      for (const update of fitting) if (update.ignored) errors.push({ ...placeOf(site, update), ...IGNORED });
    const known = new Set(fitting.map(({ slug }) => slug));
    if (complain === 'missing')
      for (const slug of wanted)
        if (!known.has(slug)) errors.push({ ...placeOf(site, { type: chosen[0] ?? 'plugin', slug }), ...NOTHING });
    return {
      updates: fitting.flatMap(({ ignored, firstSeenAt: _seen, ...update }) => (ignored ? [] : [update])),
      errors,
    };
  }

  /**
   * The log and the outcome first: should storing the state fail, the next sync brings it, and nothing would bring
   * these.
   */
  async #conclude(
    plan: Plan,
    course: Course,
    watch: PageWatch | null,
    site: KeyedSite,
    actor: string,
    item: RunItem | null,
  ): Promise<SiteRun> {
    const { steps, stopped, unread } = course;
    const brokenWith = watch ? statusAfter(watch) : await this.#statusOfFatal(course, site);
    const { changes, ...concluded } = conclude(steps, { unread, brokenWith }, site, actor);
    const since = this.#parts.clock.now();
    const { health, finding } = this.#found(watch, site, item);
    const outcome: KeptOutcome = { ...concluded, errors: [...plan.errors, ...concluded.errors], since, health };
    if (steps.length > 0) await this.#keep(outcome, changes, item, finding);
    const broken = steps.find(({ error }) => error !== null)?.error ?? stopped;
    return { site, broken, pageBefore: plan.pageBefore ?? null, ...outcome, health };
  }

  /**
   * Without looks around the updates there is one when something that the site runs on was replaced: that it reports
   * its state does not prove it well.
   */
  async #statusOfFatal({ steps }: Course, site: KeyedSite): Promise<(step: Step) => number | null> {
    const replaced = steps.some(
      (step) => step.after && isInUse(step) && broughtTo(step.after, step.update, step.claim) !== null,
    );
    const status = replaced ? await this.#parts.page.look(site.id) : null;
    // Maintenance is over when an update is; a 503 is somebody else's.
    const isFatal = status !== null && status >= 500 && status !== 503;
    return (step) => (isFatal && isInUse(step) ? status : null);
  }
}

/** What the home page answers since a step that broke it. */
const statusAfter =
  (watch: PageWatch | null) =>
  (step: Step): number | null =>
    watch?.health && watch.brokenBy.some(({ update }) => isSame(update, step.update)) ? watch.health.after : null;

const isSame = (one: PendingUpdate, other: PendingUpdate): boolean =>
  one.type === other.type && one.slug === other.slug;

/** Nothing left for the site: the call as a whole has failed. */
const isHopeless = ({ steps }: Course): boolean => steps.every(({ sent }) => !sent);

/** What of an item's error stands beside its code where it is thrown. */
const dataOf = ({ reason, child_message, job_id }: Partial<ItemError>): ErrorData => ({
  ...(reason !== undefined && { reason }),
  ...(child_message !== undefined && { child_message }),
  ...(job_id !== undefined && { job_id }),
});

const IGNORED = { code: 'svc_update_ignored', message: 'Updates of this item are ignored on this site.' } as const;
const NOTHING = { code: 'svc_no_update', message: 'The last sync found no update for this item.' } as const;
