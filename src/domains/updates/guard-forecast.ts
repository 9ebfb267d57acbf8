import type { ItemError } from '../../shared/item-error.ts';
import type { ActiveGuardName, GuardChoice, PackagedItem, PackagePlace, UpdateGuards } from './guard.ts';
import { noFallbackError } from './guard-planner.ts';
import type { PendingUpdate, SkippedUpdate } from './update.ts';

export interface ForeseenUpdate extends PendingUpdate {
  guard: ActiveGuardName | null;
  /** Source of the package of the installed version. Null in runs without a guard, and for core and translations. */
  fallback: PackagePlace | null;
  unguarded?: true;
}

export interface ForeseenSite {
  id: number;
  url: string;
  updates: readonly ForeseenUpdate[];
  skipped: readonly SkippedUpdate[];
  /** Updates that would fail, because their installed versions have no package. */
  errors: readonly ItemError[];
}

interface SiteToForesee {
  id: number;
  url: string;
  updates: readonly PendingUpdate[];
  skipped: readonly SkippedUpdate[];
}

export const withoutGuard = <Site extends SiteToForesee>(site: Site): Site & ForeseenSite => ({
  ...site,
  updates: site.updates.map((update) => ({ ...update, guard: null, fallback: null })),
  errors: [],
});

/** Returns what a guarded run would do with the updates, as far as that is known without a call to the sites. */
export async function foreseeGuards<Site extends SiteToForesee>(
  guards: UpdateGuards,
  sites: readonly Site[],
  { name, unguarded }: GuardChoice,
  caller: { isLimited: boolean },
): Promise<(Site & ForeseenSite)[]> {
  const allowed = await guards.get(name).allowedOn?.(sites);
  const items = sites.flatMap(({ updates }) => updates.flatMap(packagedItemOf));
  const places = await guards.packages.locate(items, caller);
  let next = 0;
  return sites.map((site) => {
    const guard = guards.get(allowed === undefined || allowed.has(site.id) ? name : 'plain');
    const updates: ForeseenUpdate[] = [];
    const skipped = [...site.skipped];
    const errors: ItemError[] = [];
    for (const update of site.updates) {
      const isGuardable = packagedItemOf(update).length > 0;
      const fallback = isGuardable ? (places[next++] ?? 'unknown') : null;
      if (fallback !== 'none' || guard.needsPackage === false)
        updates.push({ ...update, guard: isGuardable ? guard.name : null, fallback });
      else if (unguarded === 'update') updates.push({ ...update, guard: null, fallback, unguarded: true });
      else if (unguarded === 'fail') errors.push(noFallbackError(site, update, 'No source has it.'));
      else skipped.push({ ...update, leftOut: { reason: 'no_fallback', pin: null } });
    }
    return { ...site, updates, skipped, errors };
  });
}

const packagedItemOf = ({ type, slug, currentVersion: version }: PendingUpdate): PackagedItem[] =>
  type === 'plugin' || type === 'theme' ? [{ type, slug, version }] : [];
