import type { Knex } from 'knex';
import type { ChildLink, ChildStats } from '../../connector/child-site.ts';
import type { ItemError } from '../../shared/errors.ts';
import { attemptCall, type SiteWithUrlKey, type SyncService } from '../sites/index.ts';
import { withoutInstalledUpdates, type PendingUpdate, type UpdateType, type SkippedUpdate } from './update.ts';
import type { GuardChoice } from './guard.ts';
import { describeLeftOut, type UpdateRules } from './left-out.ts';
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
  /** If true, the site is checked around each update, whatever the settings say. */
  checkPage?: boolean;
  /** Limits the run to updates that were first seen at or before this time, in milliseconds since 1970. */
  seenBefore?: number;
  onlyVulnerable?: boolean;
  /** Without it, nothing is put back. */
  guard?: GuardChoice;
}

export interface UpdatePlannerDeps {
  knex: Knex;
  sync: Pick<SyncService, 'store'>;
  shown: VisibleUpdateTypes;
  vulnerable: VulnerabilityDataStatus;
}

/** Decides which updates a run sends to a site. */
export class UpdatePlanner {
  readonly #deps: UpdatePlannerDeps;

  constructor(deps: UpdatePlannerDeps) {
    this.#deps = deps;
  }

  /**
   * Plans the pending updates that fit. Each slug that `complain` covers and that has no update is an error. Other
   * updates that are ignored, or outside of a pin, are in `skipped`.
   */
  async plan(site: SiteWithUrlKey, choice: SiteUpdateSelection): Promise<UpdatePlan> {
    const { types, slugs, complain, seenBefore = Infinity, onlyVulnerable = false } = choice;
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
    const rules = fitting.some(({ leftOut }) => leftOut !== null) ? await this.rulesOf(site.id) : null;
    for (const { leftOut: reason, firstSeenAt: _seen, ...update } of fitting) {
      if (reason === null) continue;
      const leftOut = rules?.leftOut(update) ?? { reason, pin: null };
      if (isNamed) errors.push(leftOutErrorOf(site, { ...update, leftOut }));
      else skipped.push({ ...update, leftOut });
    }
    const known = new Set(fitting.map(({ slug }) => slug));
    if (complain === 'missing')
      for (const slug of wanted)
        if (!known.has(slug)) errors.push({ ...errorPlaceOf(site, { type: chosen[0] ?? 'plugin', slug }), ...NOTHING });
    return {
      updates: fitting.flatMap(({ leftOut, firstSeenAt: _seen, ...update }) => (leftOut === null ? [update] : [])),
      errors,
      skipped,
    };
  }

  rulesOf(siteId: number): Promise<UpdateRules> {
    return new UpdateRuleRepository(this.#deps.knex).of(siteId);
  }

  /** Leaves out what the site has installed since the last sync, so that no run claims it, and stores that state. */
  async dropInstalled(
    plan: UpdatePlan,
    before: ChildStats,
    { site, link, choice }: { site: SiteWithUrlKey; link: ChildLink; choice: SiteUpdateSelection },
  ): Promise<void> {
    const { left, installed } = withoutInstalledUpdates(plan.updates, before);
    plan.updates = left;
    if (installed.length === 0) return;
    if (choice.complain === 'missing' && choice.slugs.length > 0)
      for (const update of installed) plan.errors.push({ ...errorPlaceOf(site, update), ...INSTALLED });
    const { sync } = this.#deps;
    await attemptCall(() => sync.store(site, before, { complete: false, number: link.turn?.number }));
  }
}

/** True if updates that are left out are errors, because the caller named their slugs. */
export const reportsLeftOut = ({ complain, slugs }: Pick<SiteUpdateSelection, 'complain' | 'slugs'>): boolean =>
  complain !== 'never' && slugs.length > 0;

export const leftOutErrorOf = (site: SiteWithUrlKey, { leftOut, ...update }: SkippedUpdate): ItemError => ({
  ...errorPlaceOf(site, update),
  ...describeLeftOut(leftOut),
});

const INSTALLED = { code: 'svc_no_update', message: 'The site has this version already.' } as const;
const NOTHING = { code: 'svc_no_update', message: 'The last sync found no update for this item.' } as const;
