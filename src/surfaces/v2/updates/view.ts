import type { components } from '../../../../generated/v2.ts';
import { toIso } from '../../../shared/clock.ts';
import type { Site } from '../../../domains/sites/index.ts';
import {
  addSiteToUpdates,
  describeLeftOut,
  sumFleetUpdate,
  type FleetUpdatePlan,
  type FleetUpdateRunResult,
  type ForeseenUpdate,
  type IgnorableType,
  type UpdateHealth,
  type SiteUpdateReport,
  type SkippedUpdateOnSite,
  type UpdateOnSite,
  type UpdatePage,
  type UpdateType,
} from '../../../domains/updates/index.ts';
import { jobUrl, queuedView } from '../queued-view.ts';
import { siteBriefView } from '../sites/view.ts';
import { availableUpdateView, updateSummaryView, updateTargetView } from '../../update-views.ts';

type Schemas = components['schemas'];

const KINDS = { core: 'core', plugin: 'plugins', theme: 'themes', translation: 'translations' } as const;

/** Converts names of update types. Returns an empty list, which stands for every type, if there is no name or `all`. */
export function updateTypesOf<T extends UpdateType>(names: readonly (T | `${T}s` | 'all')[]): T[] {
  if (names.includes('all')) return [];
  return [...new Set(names.map((name) => name.replace(/s$/, '') as T))];
}

/**
 * Returns an object without a prototype: sites choose the slugs, and a slug such as `__proto__` must be an ordinary
 * key.
 */
const emptyRecord = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

export function bySiteView({ items }: UpdatePage): Record<string, Schemas['UpdatesOfSite']> {
  const sites = emptyRecord<Schemas['UpdatesOfSite']>();
  for (const update of items) {
    const kinds = (sites[update.siteId] ??= {
      core: emptyRecord(),
      plugins: emptyRecord(),
      themes: emptyRecord(),
      translations: emptyRecord(),
    });
    kinds[KINDS[update.type]][update.slug] = availableUpdateView(update);
  }
  return sites;
}

export const updatePlanView = ({
  items,
  counts,
  rings,
  errors,
}: FleetUpdatePlan): Pick<Schemas['UpdatesPlan'], 'data' | 'summary' | 'rings' | 'errors'> => ({
  data: items.map(({ ring, stage, updates, skipped, errors: failing, ...site }) => ({
    ...{ site_id: site.id, site_url: site.url, site_name: site.name },
    ...{ ring, ring_index: stage, updates: updates.map(plannedUpdateView) },
    skipped: addSiteToUpdates(site, skipped).map(skippedUpdateView),
    errors: [...failing],
  })),
  summary: updateSummaryView(counts),
  rings: [...rings],
  errors: [...errors],
});

export const skippedUpdateView = (update: SkippedUpdateOnSite): Schemas['SkippedUpdate'] => ({
  ...availableUpdateView(update),
  ...describeLeftOut(update.leftOut),
  pin_id: update.leftOut.pin?.id ?? null,
  pinned_version: update.leftOut.pin?.version ?? null,
  held_until: heldUntilView(update.leftOut.heldUntil),
});

const heldUntilView = (heldUntil: SkippedUpdateOnSite['leftOut']['heldUntil']): string | null =>
  heldUntil === undefined || heldUntil === 'never' ? null : toIso(heldUntil);

const plannedUpdateView = (update: ForeseenUpdate): Schemas['PlannedUpdate'] => ({
  type: update.type,
  slug: update.slug,
  name: update.name,
  current_version: update.currentVersion,
  new_version: update.newVersion,
  guard: update.guard,
  fallback: update.fallback,
  ...(update.unguarded && { unguarded: true }),
});

export const ignoreRulesView = (
  site: Site,
  type: IgnorableType,
  rules: readonly string[],
  ignored: boolean,
): Schemas['IgnoreWritten'] => ({
  success: 1,
  message: ignored ? 'The updates are ignored.' : 'The updates are no longer ignored.',
  data: { type, ignored: [...rules] },
  site: siteBriefView(site),
});

export const finishedUpdateView = (update: UpdateOnSite): Schemas['UpdateDone'] => ({
  ...updateTargetView(update),
  old_version: update.oldVersion,
  new_version: update.newVersion,
  ...(update.brokeSite && { broke_site: true }),
  ...(update.unguarded && { unguarded: true }),
});

export const updateHealthView = ({
  state,
  probe = 'home_page',
  before,
  after,
}: UpdateHealth): Schemas['UpdateHealth'] => ({
  state,
  probe,
  status_before: before,
  status_after: after,
});

function runMessage(updated: number, failed: number): string {
  if (updated === 0 && failed === 0) return 'There was nothing to update.';
  const done = `${updated === 1 ? '1 update was' : `${updated} updates were`} made`;
  return failed === 0 ? `${done}.` : `${done}. See errors for the updates that failed.`;
}

export const siteRunView = ({
  site,
  updated,
  errors,
  skipped,
  health,
}: SiteUpdateReport): Schemas['SiteUpdatesRunDone'] => ({
  success: 1,
  message: runMessage(updated.length, errors.length),
  data: addSiteToUpdates(site, updated).map(finishedUpdateView),
  errors,
  skipped: addSiteToUpdates(site, skipped).map(skippedUpdateView),
  health: health && updateHealthView(health),
  site: siteBriefView(site),
});

export function fleetRunView(run: FleetUpdateRunResult, base: string): Schemas['UpdatesRunOrQueued'] {
  if ('underWay' in run)
    return {
      success: 1,
      message: 'A run for all sites is already running, so no second run was started.',
      queued: true,
      under_way: true,
      job_id: run.underWay.jobId,
      status_url: jobUrl(base, run.underWay.jobId),
      sites_queued: run.underWay.sites,
    };
  if (run.queued) return queuedView(run, base);
  const { updated, errors, skipped, sitesUpdated } = sumFleetUpdate(run);
  const summary = { total_updated: updated.length, total_errors: errors.length, sites_updated: sitesUpdated };
  return {
    success: 1,
    message: runMessage(updated.length, errors.length),
    data: updated.map(finishedUpdateView),
    errors,
    skipped: skipped.map(skippedUpdateView),
    summary,
  };
}
