import type { components, operations } from '../../../../generated/abilities.ts';
import {
  countByType,
  runTotals,
  type AppliedUpdate,
  type FleetDone,
  type IgnorableType,
  type IgnoredUpdate,
  type PendingUpdate,
  type SiteRun,
  type SiteUpdateDone,
  type UpdatePage,
  type UpdateType,
} from '../../../domains/updates/index.ts';
import type { AbilityOutput } from '../../../http/operation.ts';
import type { ItemError } from '../../../shared/errors.ts';
import type { Page } from '../../../shared/paging.ts';
import type { Site } from '../../../domains/sites/index.ts';
import { countsView, ignoredView, listedView, subjectView, summaryView } from '../../update-words.ts';

type Schemas = components['schemas'];
type Group = Schemas['UpdateGroup'];
type Output<Name extends keyof operations> = AbilityOutput<operations, Name>;

/** Lists of types name them in the plural, entries in the singular. */
const TYPES = { core: 'core', plugins: 'plugin', themes: 'theme', translations: 'translation' } as const;

export const typesIn = (groups: readonly Group[]): UpdateType[] => [...new Set(groups)].map((group) => TYPES[group]);

export const ignorableIn = (groups: readonly Exclude<Group, 'translations'>[]): IgnorableType[] =>
  [...new Set(groups)].map((group) => TYPES[group]);

const pendingView = ({ type, slug, name, currentVersion, newVersion }: PendingUpdate): Schemas['SiteUpdate'] => ({
  type,
  slug,
  name,
  current_version: currentVersion,
  new_version: newVersion,
});

export const updatePageView = (
  { items, counts, page, perPage, total }: UpdatePage,
  errors: ItemError[],
): Output<'list-updates-v1'> => ({
  updates: items.map(listedView),
  summary: summaryView(counts),
  page,
  per_page: perPage,
  total,
  errors,
});

export const siteUpdatesView = (
  { id, url, name }: Site,
  updates: readonly PendingUpdate[],
): Output<'get-site-updates-v1'> => ({
  site_id: id,
  site_url: url,
  site_name: name,
  updates: updates.map(pendingView),
  summary: summaryView(countByType(updates)),
});

const doneView = ({ slug, name, oldVersion, newVersion }: AppliedUpdate): Schemas['UpdateDone'] => ({
  slug,
  name,
  old_version: oldVersion,
  new_version: newVersion,
});

export const siteRunView = ({ site, updated, errors }: SiteRun): Output<'update-site-plugins-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.map(doneView),
  errors,
  total_updated: updated.length,
});

export const coreView = (site: Site, update: AppliedUpdate): Output<'update-site-core-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: true,
  old_version: update.oldVersion,
  new_version: update.newVersion,
});

export const translationsView = ({ site, updated, errors }: SiteRun): Output<'update-site-translations-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.length > 0,
  translations_updated: updated.length,
  errors,
});

const siteDoneView = (update: SiteUpdateDone): Schemas['SiteUpdateDone'] => ({
  ...subjectView(update),
  ...doneView(update),
});

function runView(done: FleetDone) {
  const { updated, errors, sitesUpdated } = runTotals(done);
  const summary = { total_updated: updated.length, total_errors: errors.length, sites_updated: sitesUpdated };
  return { updated, errors, summary };
}

export function fleetRunView(done: FleetDone): Output<'run-updates-v1'> {
  const { updated, ...rest } = runView(done);
  return { updated: updated.map(siteDoneView), ...rest };
}

export function fleetCountsView(done: FleetDone): Output<'update-all-v1'> {
  const { updated, ...rest } = runView(done);
  return { updated: countsView(countByType(updated)), ...rest };
}

export const ignoredPageView = (
  { items, page, perPage, total }: Page<IgnoredUpdate>,
  errors: ItemError[],
): Output<'list-ignored-updates-v1'> => ({
  ignored: items.map(ignoredView),
  page,
  per_page: perPage,
  total,
  errors,
});
