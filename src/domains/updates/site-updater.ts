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
import { attempt, type KeyedSite, type SiteCalls, type SyncService } from '../sites/index.ts';
import type { BackupRule } from './backup-rule.ts';
import { meantTypes, type ShownTypes } from './shown-types.ts';
import type { UpdateLeases } from './update-leases.ts';
import { broughtTo, type AppliedUpdate, type PendingUpdate, type SiteRun, type UpdateType } from './update.ts';
import { conclude, concludeLater, isInUse, placeOf, settle, type Outcome } from './update-failures.ts';
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
}

/** The item of a job that a run belongs to. */
export interface RunItem {
  id: number;
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
  leases: UpdateLeases;
  clock: Clock;
  looks: LaterLooks;
  /** HTTP status of a site's front page; 0 without an answer. */
  visit: (siteId: number) => Promise<number>;
  backups: BackupRule;
  shown: ShownTypes;
}

/**
 * Updates one site: core, then plugins, themes and translations. What the child claims decides nothing: its state is
 * read back at the end, stored and reported, so that the next read is true without a sync.
 */
export class SiteUpdater {
  readonly #parts: SiteUpdaterParts;
  readonly #steps: UpdateSteps;
  readonly #follow: Follow<PendingUpdate[], UpdateJobResult>;

  constructor(parts: SiteUpdaterParts) {
    this.#parts = parts;
    this.#steps = new UpdateSteps(parts);
    this.#follow = parts.looks.add({
      of: 'update',
      result: updateResult,
      look: async ({ siteId, actor, jobId, change }: LookCall<PendingUpdate[]>) => {
        const { site, ...outcome } = await this.#lookAgain(siteId, change, actor);
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
    const { result, jobId } = await this.#follow(run.open, run.site, actor);
    return { ...run, ...settle(run, result && outcomeIn(result), jobId) };
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
    if (item && earlier?.outcome)
      return { site, broken: null, ...(await this.#resume(item, earlier.outcome, site, link, actor)) };
    const plan = earlier?.planned ?? (await this.#plan(site, choice));
    if (!earlier && plan.updates.length > 0) await this.#parts.backups.check(site.id);
    if (item && !earlier) await runs.begin(item.id, plan);
    const course = await this.#steps.take(plan.updates, site, link, earlier !== null);
    const { state, stopped } = course;
    if (stopped && isHopeless(course)) throw stopped;
    const run = await this.#conclude(plan, course, site, actor, item);
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
    earlier: KeptOutcome,
    site: KeyedSite,
    link: ChildLink,
    actor: string,
  ): Promise<KeptOutcome> {
    const { open = [], since = 0 } = earlier;
    const { changes, ...looked } = await this.#look(open, site, link, actor);
    const outcome = { ...settle({ ...earlier, open }, looked), since };
    await this.#keep(outcome, changes, item);
    return outcome;
  }

  #lookAgain(siteId: number, open: PendingUpdate[], actor: string): Promise<Outcome & { site: KeyedSite }> {
    return this.#parts.calls.run(siteId, async (link, site) => {
      const { changes, ...outcome } = await this.#look(open, site, link, actor);
      await this.#keep({ ...outcome, since: 0 }, changes, null);
      return { ...outcome, site };
    });
  }

  async #look(open: PendingUpdate[], site: KeyedSite, link: ChildLink, actor: string) {
    // In maintenance mode the site cannot be asked for a while.
    const { value: state } = await attempt(() => this.#steps.read(site, link));
    if (state) await attempt(() => this.#parts.sync.store(site, state, { complete: false }));
    return concludeLater(open, state, site, actor);
  }

  /** The log and the outcome go together, so that an attempt that is resumed tells the log nothing twice. */
  async #keep(outcome: KeptOutcome, changes: Change[], item: RunItem | null): Promise<void> {
    const { knex, changeLog } = this.#parts;
    if (!item && changes.length === 0) return;
    await inTransaction(knex, async ({ trx }) => {
      if (item) await new UpdateRunStore(trx).end(item.id, outcome);
      if (changes.length > 0) await changeLog.append(trx, ...changes);
    });
  }

  async #plan(site: KeyedSite, { types, slugs, complain }: UpdateChoice): Promise<Plan> {
    const chosen = meantTypes({ types, slugs }, this.#parts.shown);
    const wanted = new Set(slugs);
    const fits = ({ type, slug }: PendingUpdate): boolean =>
      chosen.includes(type) && (wanted.size === 0 || wanted.has(slug));
    const fitting = (await new UpdateRepository(this.#parts.knex).of(site.id)).filter(fits);
    const errors: ItemError[] = [];
    if (complain !== 'never' && wanted.size > 0)
      for (const update of fitting) if (update.ignored) errors.push({ ...placeOf(site, update), ...IGNORED });
    const known = new Set(fitting.map(({ slug }) => slug));
    if (complain === 'missing')
      for (const slug of wanted)
        if (!known.has(slug)) errors.push({ ...placeOf(site, { type: chosen[0] ?? 'plugin', slug }), ...NOTHING });
    return { updates: fitting.flatMap(({ ignored, ...update }) => (ignored ? [] : [update])), errors };
  }

  /**
   * The log and the outcome first: should storing the state fail, the next sync brings it, and nothing would bring
   * these.
   */
  async #conclude(plan: Plan, course: Course, site: KeyedSite, actor: string, item: RunItem | null): Promise<SiteRun> {
    const { steps, stopped, unread } = course;
    const pageStatus = await this.#pageStatus(course, site);
    const { changes, ...concluded } = conclude(steps, { unread, pageStatus }, site, actor);
    const since = this.#parts.clock.now();
    const outcome: KeptOutcome = { ...concluded, errors: [...plan.errors, ...concluded.errors], since };
    if (steps.length > 0) await this.#keep(outcome, changes, item);
    const broken = steps.find(({ error }) => error !== null)?.error ?? stopped;
    return { site, broken, ...outcome };
  }

  /**
   * One look at the site when something that it runs on was replaced: that it reports its state does not prove it well.
   */
  async #pageStatus({ steps }: Course, site: KeyedSite): Promise<number | null> {
    const replaced = steps.some(
      (step) => step.after && isInUse(step) && broughtTo(step.after, step.update, step.claim) !== null,
    );
    if (!replaced) return null;
    const { value: status } = await attempt(() => this.#parts.visit(site.id));
    // Maintenance is over when an update is; a 503 is somebody else's.
    return status !== null && status >= 500 && status !== 503 ? status : null;
  }
}

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
