import type { Knex } from 'knex';
import type { ChildLink, ChildStats, InventoryCalls, ItemActionResult, SyncCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { resultWithErrors, createUnvalidatedParser } from '../../queue/index.ts';
import { omitEmptyValues } from '../../shared/changed-values.ts';
import { ChildBadAnswerError, OutcomeUnknownError } from '../../shared/child-call-errors.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { truncate } from '../../shared/text.ts';
import type {
  StartVerification,
  VerificationRetries,
  VerificationAttemptResult,
  VerificationCall,
} from '../jobs/index.ts';
import {
  attemptCall,
  changeDone,
  changeFailed,
  conclusiveError,
  type ChildChanges,
  type ProvenChange,
  type SiteWithUrlKey,
  type SiteCalls,
  type SiteLeases,
  type SyncService,
} from '../sites/index.ts';
import { itemFailureOf, type ItemActionRun } from './action-failures.ts';
import {
  protectionAgainst,
  inventoryOf,
  isActionDone,
  inventoryFromStats,
  isActiveThemeAmbiguous,
  isOnlyDeactivated,
  keepOneActiveTheme,
  withActiveTheme,
  type InstalledItem,
  type Inventory,
  type ItemAction,
  type ItemFailure,
  type ItemKind,
} from './inventory.ts';
import { InventoryRepository } from './inventory-repository.ts';

export interface ItemActionOutcome {
  site: SiteWithUrlKey;
  done: string[];
  items: NamedItem[];
  errors: ItemFailure[];
}

export type NamedItem = Pick<InstalledItem, 'slug' | 'name' | 'version'>;

export interface ActivatedTheme {
  activated: NamedItem;
  /** null if no active theme was known; equal to `activated` if it was already active. */
  previousTheme: NamedItem | null;
}

export interface ItemActionServiceDeps {
  knex: Knex;
  child: InventoryCalls & SyncCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  childChanges: ChildChanges;
  leases: SiteLeases;
  retries: VerificationRetries;
}

/** Set if a job runs the action. A job that has lost its item sends and logs nothing. */
export interface ItemActionOfJob {
  lease: Lease;
  /** Position of the change log before the first attempt. What an earlier attempt has logged is not logged again. */
  loggedBehind: number | undefined;
}

type ItemActionTask = { actor: string; ofJob?: ItemActionOfJob | undefined } & (
  | { kind: 'plugin'; action: ItemAction }
  | { kind: 'theme'; action: Exclude<ItemAction, 'deactivate'> }
);

/** Items whose outcome is unknown, in their state before the call. A job checks them later. */
type UnverifiedAction = {
  items: InstalledItem[];
  /** ID of the newest change log entry before the call. Missing in jobs of releases before 0.2. */
  logPosition?: number;
} & Pick<ItemActionTask, 'kind' | 'action'>;
type ActionVerification = { changed: NamedItem[]; errors: ItemFailure[] };
export const parseActionVerification = createUnvalidatedParser<ActionVerification>();

interface InventoryReading {
  report: ChildStats;
  /** Number of the turn at the site (`SiteTurn.number`) in which the site sent the report. */
  number: number | undefined;
  inventory: Inventory;
  /** True if several themes have the name of the active one, so that the report does not show an activation. */
  isAmbiguous: boolean;
}

/**
 * Runs actions on the plugins and themes of a site. The child plugin's report of success is not trusted: the state is
 * read from the site and stored, so that the next read is correct without a sync. One call contains all slugs of an
 * action and is never repeated. Actions on one site run one after another, so that each starts with the state that the
 * one before has stored and logs only its own changes.
 */
export class ItemActionService {
  readonly #deps: ItemActionServiceDeps;
  readonly #startVerification: StartVerification<UnverifiedAction, ActionVerification>;

  constructor(deps: ItemActionServiceDeps) {
    this.#deps = deps;
    const look = (call: VerificationCall<UnverifiedAction>): Promise<VerificationAttemptResult<ActionVerification>> =>
      this.#verifyAgain(call);
    this.#startVerification = deps.retries.register({
      changeType: 'item-action',
      result: parseActionVerification,
      verify: look,
      ended: (result) => resultWithErrors(result, result.changed.length, result.errors),
    });
  }

  activatePlugins(
    siteId: number,
    slugs: readonly string[],
    actor: string,
    ofJob?: ItemActionOfJob,
  ): Promise<ItemActionOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'activate', actor, ofJob });
  }

  deactivatePlugins(
    siteId: number,
    slugs: readonly string[],
    actor: string,
    ofJob?: ItemActionOfJob,
  ): Promise<ItemActionOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'deactivate', actor, ofJob });
  }

  deletePlugins(siteId: number, slugs: readonly string[], actor: string): Promise<ItemActionOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'delete', actor });
  }

  deleteThemes(siteId: number, slugs: readonly string[], actor: string): Promise<ItemActionOutcome> {
    return this.#run(siteId, slugs, { kind: 'theme', action: 'delete', actor });
  }

  /** Throws the error of the theme, while the other actions return errors in a list. */
  async activateTheme(siteId: number, slug: string, actor: string): Promise<ActivatedTheme> {
    const { errors, items, course } = await this.#run(siteId, [slug], { kind: 'theme', action: 'activate', actor });
    const [failure] = errors;
    if (failure?.code === 'svc_theme_not_found') throw new NotFoundError('svc_theme_not_found', failure.message);
    if (failure?.code === 'svc_outcome_unknown')
      throw new OutcomeUnknownError(failure.code, failure.message, jobIdField(failure));
    if (failure) throw course.callError ?? new ChildBadAnswerError('The site did not switch to the theme.');
    const previous = [...course.before.values()].find(({ active }) => active);
    const [activated = { slug, name: slug, version: '' }] = items;
    return { activated, previousTheme: previous ? namedItem(previous) : null };
  }

  async #run(
    siteId: number,
    slugs: readonly string[],
    task: ItemActionTask,
  ): Promise<ItemActionOutcome & { course: ItemActionRun }> {
    const wanted = [...new Set(slugs)];
    const { site, course, logPosition } = await this.#exclusively(
      siteId,
      async (link, site) => ({
        site,
        logPosition: await this.#deps.childChanges.logPosition(),
        course: await this.#runAction(task, wanted, site, link),
      }),
      task.ofJob?.lease,
    );
    const first = wanted.flatMap((slug) => itemFailureOf(task, slug, site, course) ?? []);
    const open = first.filter(isOutcomeUnknownError).flatMap(({ slug = '' }) => course.before.get(slug) ?? []);
    const later = open.length === 0 ? null : await this.#verifyLater(task, open, logPosition, site);
    const errors = first.flatMap((failure) =>
      later && isOutcomeUnknownError(failure) ? later.judge(failure) : [failure],
    );
    const missed = new Set(errors.map(({ identifier }) => identifier));
    const done = wanted.filter((slug) => !missed.has(slug));
    const find = (slug: string): NamedItem | undefined =>
      later?.items.get(slug) ?? course.after?.get(slug) ?? course.before.get(slug);
    return { site, done, items: done.flatMap((slug) => find(slug) ?? []).map(namedItem), errors, course };
  }

  #exclusively<T>(
    siteId: number,
    work: (link: ChildLink, site: SiteWithUrlKey, lease: Lease) => Promise<T>,
    jobLease?: Lease,
  ): Promise<T> {
    const { calls, leases } = this.#deps;
    return leases.runExclusive(siteId, (lease) =>
      calls.run(siteId, (link, site) => work(link, site, lease), { lease: jobLease }),
    );
  }

  async #runAction(
    task: ItemActionTask,
    wanted: string[],
    site: SiteWithUrlKey,
    link: ChildLink,
  ): Promise<ItemActionRun> {
    const before = await this.#before(task, wanted, site, link);
    const held = (slug: string): boolean => protectionAgainst(task.action, before.get(slug)) !== null;
    const sent = wanted.filter((slug) => before.has(slug) && !held(slug) && !mustNotBeSent(task, before.get(slug)));
    const still = { before, after: before, sent, refusals: [], callError: null, mayStillRun: false };
    if (sent.length === 0) return still;
    const { state, ...course } = await this.#deps.childChanges.carryOut(
      { siteId: site.id, actor: task.actor, ...task.ofJob },
      {
        send: () => this.#call(task, sent, link),
        stateIn: (answer: ItemActionResult) => inventoryShownInResponse(task, sent, answer, link),
        read: async (answer) => withThemeOf(task, answer, await this.#read(task.kind, site, link)),
        judge: (change) => {
          const { answer, callError, mayStillRun, state } = change;
          const lost = conclusiveError(change);
          if (lost) return changeFailed(lost);
          const was = withActiveTheme(before, answer?.replaced);
          const result = {
            state,
            before: was,
            refusals: answer?.refusals ?? [],
            callError,
            mayStillRun: mayStillRun || (state?.isAmbiguous ?? false),
          };
          return changeDone(result, provenChangesOf(task, sent, was, state));
        },
      },
    );
    // Store the report after the log: the next sync repairs a lost report, but nothing would repair a lost log entry.
    if (state) await this.#store(site, state);
    return { ...still, ...course, after: state?.inventory ?? null };
  }

  #store(site: SiteWithUrlKey, { report, number }: InventoryReading): Promise<unknown> {
    return this.#deps.sync.store(site, report, { complete: false, number });
  }

  async #verifyLater(
    { kind, action, actor }: ItemActionTask,
    items: InstalledItem[],
    logPosition: number,
    site: SiteWithUrlKey,
  ) {
    const { result, jobId } = await this.#startVerification({ kind, action, items, logPosition }, site, actor);
    const changed = new Map(result?.changed.map((item) => [item.slug, item]));
    const errors = new Map(result?.errors.map((failure) => [failure.slug, failure]));
    return {
      items: changed,
      judge(failure: ItemFailure): ItemFailure[] {
        if (result) return changed.has(failure.slug ?? '') ? [] : [errors.get(failure.slug) ?? failure];
        return [jobId === undefined ? failure : { ...failure, job_id: jobId }];
      },
    };
  }

  async #verifyAgain({
    siteId,
    actor,
    jobId,
    change,
  }: VerificationCall<UnverifiedAction>): Promise<VerificationAttemptResult<ActionVerification>> {
    const task = { kind: change.kind, action: change.action, actor } as ItemActionTask;
    const before = inventoryOf(change.items);
    const sent = change.items.map(({ slug }) => slug);
    const { site, after } = await this.#exclusively(siteId, async (link, site, lease) => {
      // A site in maintenance mode cannot be read for a while, so a failed read is not an error here.
      const state = await this.#deps.childChanges.lookAgain(
        { siteId, actor, lease, loggedBehind: change.logPosition },
        {
          read: async () => withThemeOf(task, null, await this.#read(task.kind, site, link)),
          judge: ({ state }) => changeDone(state, provenChangesOf(task, sent, before, state)),
        },
      );
      if (state) await attemptCall(() => this.#store(site, state));
      return { site, after: state?.inventory ?? null };
    });
    const course: ItemActionRun = { before, after, sent, refusals: [], callError: null, mayStillRun: true };
    const failures = sent.flatMap((slug) => itemFailureOf(task, slug, site, course) ?? []);
    const missed = new Set(failures.map(({ slug }) => slug));
    const changed = change.items.filter(({ slug }) => !missed.has(slug)).map(namedItem);
    const errors = failures.map((failure) => ({ ...failure, job_id: jobId }));
    return { result: { changed, errors }, settled: errors.length === 0 };
  }

  /**
   * Returns the items before the action: the stored ones, or those that the site has now. The site is read if an item
   * is not stored, because it may have been installed since the last sync. The site is also read if an item need not be
   * sent, because the stored state of the item may be old.
   */
  async #before(task: ItemActionTask, wanted: string[], site: SiteWithUrlKey, link: ChildLink): Promise<Inventory> {
    const stored = await new InventoryRepository(this.#deps.knex).installed(site.id, task.kind);
    if (!wanted.some((slug) => !stored.has(slug) || mustNotBeSent(task, stored.get(slug)))) return stored;
    const state = await this.#read(task.kind, site, link);
    await this.#store(site, state);
    return state.inventory;
  }

  #call(task: ItemActionTask, slugs: string[], link: ChildLink): Promise<ItemActionResult> {
    const { child } = this.#deps;
    return task.kind === 'plugin'
      ? child.pluginAction(link, task.action, slugs)
      : child.themeAction(link, task.action, slugs);
  }

  async #read(kind: ItemKind, site: SiteWithUrlKey, link: ChildLink): Promise<InventoryReading> {
    const { child, sync } = this.#deps;
    const report = await child.stats(link, await sync.request(site.id));
    const inventory = inventoryFromStats(kind, report);
    if (!inventory) throw new ChildBadAnswerError(`The site did not report its ${kind}s.`);
    return readStateOf(report, inventory, link);
  }
}

const readStateOf = (report: ChildStats, inventory: Inventory, { turn }: ChildLink): InventoryReading => ({
  report,
  inventory,
  number: turn?.number,
  isAmbiguous: false,
});

/**
 * Corrects a state in which several themes look active. The response to the action names the active theme by its slug.
 * If the response to an activation was lost, the state does not show the result and `isAmbiguous` is true.
 */
function withThemeOf(
  { kind, action }: ItemActionTask,
  answer: ItemActionResult | null,
  state: InventoryReading,
): InventoryReading {
  const { themes } = state.report;
  if (kind !== 'theme' || !themes || !isActiveThemeAmbiguous(themes)) return state;
  const keptTheme = answer?.refusals.find(({ reason }) => reason === 'active_theme')?.slug;
  const active = (action === 'activate' ? answer?.claimed[0] : keptTheme) ?? null;
  if (active === null && action !== 'activate') return state;
  const report = { ...state.report, themes: [...keepOneActiveTheme(themes, active)] };
  const inventory = inventoryFromStats(kind, report) ?? state.inventory;
  return { ...state, report, inventory, isAmbiguous: active === null };
}

const namedItem = ({ slug, name, version }: NamedItem): NamedItem => ({ slug, name, version });

const isOutcomeUnknownError = ({ code }: ItemError): boolean => code === 'svc_outcome_unknown';

const jobIdField = ({ job_id: jobId }: ItemError): { job_id?: string } =>
  jobId === undefined ? {} : { job_id: jobId };

const VERBS: Record<ItemAction, string> = { activate: 'Activated', deactivate: 'Deactivated', delete: 'Deleted' };

function provenChangesOf(
  { kind, action }: ItemActionTask,
  sent: readonly string[],
  before: Inventory,
  state: InventoryReading | null,
): ProvenChange[] {
  if (!state) return [];
  return sent.flatMap((slug) => {
    const [old, now] = [before.get(slug), state.inventory.get(slug)];
    const item = now ?? old;
    const isDeactivation = isOnlyDeactivated(kind, action, old, now);
    if (!item || !(isActionDone(action, now) || isDeactivation) || isActionDone(action, old)) return [];
    const { name, version } = item;
    const label = `${truncate(name || slug, 255)} ${truncate(version, 64)}`.trimEnd();
    const thing = {
      name: name || slug,
      key: slug,
      before: omitEmptyValues({ version }),
      after: omitEmptyValues({ version: now?.version }),
    };
    if (isDeactivation) {
      const description = `Deactivated the plugin ${label} in an attempt to delete it.`;
      return [{ type: 'plugin.deactivated', description, thing }];
    }
    return [{ type: `${kind}.${action}d`, description: `${VERBS[action]} the ${kind} ${label}.`, thing }];
  });
}

/**
 * True if the item is active and must not be sent. The child plugin skips itself and must-use plugins, and switching to
 * the active theme would run the code that themes run on a switch. All other items are sent in any state, because the
 * stored state may be old and a repeated call has no effect.
 */
const mustNotBeSent = ({ action }: ItemActionTask, item: InstalledItem | undefined): boolean =>
  action === 'activate' && item?.active === true && item.protection !== null;

/**
 * Returns the state from the response if it shows the requested result for all items, or null. The response to a
 * deletion of plugins still lists them, because its list is created before the deletion.
 */
function inventoryShownInResponse(
  task: ItemActionTask,
  sent: readonly string[],
  answer: ItemActionResult,
  link: ChildLink,
): InventoryReading | null {
  const { after } = answer;
  const inventory = after && inventoryFromStats(task.kind, after);
  if (!inventory) return null;
  const state = withThemeOf(task, answer, readStateOf(after, inventory, link));
  return sent.every((slug) => isActionDone(task.action, state.inventory.get(slug))) ? state : null;
}
