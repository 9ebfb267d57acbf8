import type { Knex } from 'knex';
import type { ChildLink, ChildStats } from '../../connector/child-site.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { attemptCall, type SiteWithUrlKey, type SyncService } from '../sites/index.ts';
import {
  isItemMissing,
  isSame,
  withoutInstalledUpdates,
  type ExactUpdate,
  type LeftOut,
  type PendingUpdate,
  type UpdateType,
  type SkippedUpdate,
} from './update.ts';
import { ClosingReleasesReadModel } from './closing-releases-read-model.ts';
import type { GuardChoice } from './guard.ts';
import { heldUntilOf, type HoldRule, type SeenUpdate } from './hold-rule.ts';
import { describeLeftOut, type OfferedVersion, type UpdateRules } from './left-out.ts';
import { errorPlaceOf } from './update-outcome.ts';
import { UpdateRepository } from './update-repository.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';
import type { UpdatePlan } from './update-run-store.ts';
import { selectUpdateTypes, type VisibleUpdateTypes } from './visible-update-types.ts';
import type { VulnerabilityDataStatus } from './vulnerability-data-status.ts';

export interface SiteUpdateSelection {
  /** Empty means all types that lists show, or all types if `slugs` is not empty. */
  types: readonly UpdateType[];
  slugs: readonly string[];
  /**
   * Decides when a slug without an update is an error. `ignored`: if its update is ignored or outside of a pin.
   * `missing`: also if there is no update. `never`: no error, because the slugs are only a filter.
   */
  complain: 'missing' | 'ignored' | 'never';
  /** If true, the site is checked after each update, whatever the settings say. */
  checkPage?: boolean;
  /** Limits the run to updates that were first seen at or before this time, in milliseconds since 1970. */
  seenBefore?: number;
  onlyVulnerable?: boolean;
  guard?: GuardChoice;
  /** True if a schedule started the run. */
  isScheduled?: boolean;
  hold?: HoldRule;
  /**
   * Updates to install instead of those that the site offers. Needs a guard. An older version than the installed one is
   * never installed.
   */
  exact?: readonly ExactUpdate[];
}

export interface UpdatePlannerDeps {
  knex: Knex;
  sync: Pick<SyncService, 'store'>;
  shown: VisibleUpdateTypes;
  vulnerable: VulnerabilityDataStatus;
}

export class UpdatePlanner {
  readonly #deps: UpdatePlannerDeps;

  constructor(deps: UpdatePlannerDeps) {
    this.#deps = deps;
  }

  /**
   * Plans the pending updates that `choice` selects. A slug without an update is an error if `complain` says so. An
   * update that is left out is an error if `slugs` names it (`reportsLeftOut`), and otherwise in `skipped`.
   */
  async plan(site: SiteWithUrlKey, choice: SiteUpdateSelection): Promise<UpdatePlan> {
    const { types, slugs, complain, seenBefore = Infinity, onlyVulnerable = false } = choice;
    if (choice.exact) return this.#planExact(site, choice.exact);
    const chosen = selectUpdateTypes({ types, slugs }, this.#deps.shown);
    const wanted = new Set(slugs);
    const fits = ({ type, slug }: PendingUpdate): boolean =>
      chosen.includes(type) && (wanted.size === 0 || wanted.has(slug));
    const isKnown = !onlyVulnerable || (await this.#deps.vulnerable.areKnown());
    const waiting = isKnown ? await new UpdateRepository(this.#deps.knex).of(site.id, { onlyVulnerable }) : [];
    const fitting = waiting.filter((update) => fits(update) && update.firstSeenAt <= seenBefore);
    const errors: ItemError[] = [];
    const skipped: SkippedUpdate[] = [];
    const isNamed = reportsLeftOut(choice);
    const holds = await this.#holdOf(site.id, choice.hold);
    const rules = fitting.some(({ leftOut }) => leftOut !== null)
      ? await new UpdateRuleRepository(this.#deps.knex).of(site.id)
      : null;
    const updates: PendingUpdate[] = [];
    for (const { leftOut: reason, firstSeenAt, ...update } of fitting) {
      const leftOut =
        reason === null ? holds({ ...update, firstSeenAt }) : (rules?.leftOut(update) ?? { reason, pin: null });
      if (leftOut === null) {
        updates.push(update);
        continue;
      }
      if (isNamed) errors.push(leftOutErrorOf(site, { ...update, leftOut }));
      else skipped.push({ ...update, leftOut });
    }
    const known = new Set(fitting.map(({ slug }) => slug));
    if (complain === 'missing')
      for (const slug of wanted)
        if (!known.has(slug)) errors.push({ ...errorPlaceOf(site, { type: chosen[0] ?? 'plugin', slug }), ...NOTHING });
    return { updates, errors, skipped };
  }

  async #planExact(site: SiteWithUrlKey, exact: readonly ExactUpdate[]): Promise<UpdatePlan> {
    const rules = await new UpdateRuleRepository(this.#deps.knex).of(site.id);
    const plan: UpdatePlan & { skipped: SkippedUpdate[] } = { updates: [], errors: [], skipped: [] };
    for (const update of exact) {
      const leftOut = rules.leftOut(update);
      if (leftOut) plan.skipped.push({ ...update, leftOut });
      else plan.updates.push(update);
    }
    return plan;
  }

  /**
   * Returns the rules for the versions that the site offers when the updates are sent. A version that differs from the
   * planned one has just been released, so the minimum ages of the run apply to it anew.
   */
  async rulesOf(
    siteId: number,
    planned: readonly PendingUpdate[],
    { hold }: SiteUpdateSelection,
  ): Promise<UpdateRules> {
    const rules = new UpdateRuleRepository(this.#deps.knex);
    if (!hold) return rules.of(siteId);
    const holds = await this.#holdOf(siteId, hold);
    return rules.of(siteId, (offered: OfferedVersion): LeftOut | null => {
      const plan = planned.find((each) => isSame(each, offered));
      if (!plan || plan.newVersion === offered.newVersion) return null;
      return holds({ ...plan, newVersion: offered.newVersion, firstSeenAt: hold.at });
    });
  }

  async #holdOf(siteId: number, rule: HoldRule | undefined): Promise<(update: SeenUpdate) => LeftOut | null> {
    if (!rule) return () => null;
    const { knex, vulnerable } = this.#deps;
    const isKnown = await vulnerable.areKnownIfActive();
    const closes = isKnown ? await new ClosingReleasesReadModel(knex).onSites([siteId]) : () => false;
    return (update) => {
      const heldUntil = heldUntilOf(update, rule);
      return heldUntil === null || closes(siteId, update) ? null : { reason: 'held', pin: null, heldUntil };
    };
  }

  /**
   * Removes updates from the plan that the site has installed since the last sync, so that the run does not report them
   * as its own. Stores `before` if it shows such updates.
   */
  async dropInstalled(
    plan: UpdatePlan,
    before: ChildStats,
    { site, link, choice }: { site: SiteWithUrlKey; link: ChildLink; choice: SiteUpdateSelection },
  ): Promise<void> {
    const { left, installed } = withoutInstalledUpdates(plan.updates, before);
    // A package of the vault would be installed even if the site no longer has the item.
    plan.updates = choice.exact ? left.filter((update) => !isItemMissing(before, update)) : left;
    if (installed.length === 0) return;
    if (choice.complain === 'missing' && choice.slugs.length > 0)
      for (const update of installed) plan.errors.push({ ...errorPlaceOf(site, update), ...INSTALLED });
    const { sync } = this.#deps;
    await attemptCall(() => sync.store(site, before, { complete: false, number: link.turn?.number }));
  }
}

export const reportsLeftOut = ({ complain, slugs }: Pick<SiteUpdateSelection, 'complain' | 'slugs'>): boolean =>
  complain !== 'never' && slugs.length > 0;

export const leftOutErrorOf = (site: SiteWithUrlKey, { leftOut, ...update }: SkippedUpdate): ItemError => ({
  ...errorPlaceOf(site, update),
  ...describeLeftOut(leftOut),
});

const INSTALLED = { code: 'svc_no_update', message: 'The site has this version already.' } as const;
const NOTHING = { code: 'svc_no_update', message: 'The last sync found no update for this item.' } as const;
