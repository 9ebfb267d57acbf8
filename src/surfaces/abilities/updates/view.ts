import type { components, operations } from '../../../../generated/abilities.ts';
import {
  countByType,
  sumFleetUpdate,
  type AppliedUpdate,
  type FinishedFleetUpdate,
  type IgnorableType,
  type IgnoredUpdate,
  type PendingUpdate,
  type SiteUpdateRun,
  type UpdateOnSite,
  type UpdatePage,
  type UpdateType,
} from '../../../domains/updates/index.ts';
import type { AbilityOutput } from '../../../http/operation.ts';
import type { ItemError } from '../../../shared/errors.ts';
import type { Page } from '../../../shared/paging.ts';
import type { Site } from '../../../domains/sites/index.ts';
import {
  updateCountsView,
  ignoredUpdateView,
  availableUpdateView,
  updateTargetView,
  updateSummaryView,
} from '../../update-views.ts';

type Schemas = components['schemas'];
type Group = Schemas['UpdateGroup'];
type Output<Name extends keyof operations> = AbilityOutput<operations, Name>;

/** Update types by their name in lists, which is a plural. */
const TYPES = { core: 'core', plugins: 'plugin', themes: 'theme', translations: 'translation' } as const;

export const updateTypesOf = (groups: readonly Group[]): UpdateType[] =>
  [...new Set(groups)].map((group) => TYPES[group]);

export const ignorableTypesOf = (groups: readonly Exclude<Group, 'translations'>[]): IgnorableType[] =>
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
  updates: items.map(availableUpdateView),
  summary: updateSummaryView(counts),
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
  summary: updateSummaryView(countByType(updates)),
});

const appliedUpdateView = ({ slug, name, oldVersion, newVersion }: AppliedUpdate): Schemas['UpdateDone'] => ({
  slug,
  name,
  old_version: oldVersion,
  new_version: newVersion,
});

export const siteRunView = ({ site, updated, errors }: SiteUpdateRun): Output<'update-site-plugins-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.map(appliedUpdateView),
  errors,
  total_updated: updated.length,
});

type CoreUpdate = Pick<SiteUpdateRun, 'site' | 'errors'> & { update: AppliedUpdate };

export const coreUpdateView = ({ site, update, errors }: CoreUpdate): Output<'update-site-core-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: true,
  old_version: update.oldVersion,
  new_version: update.newVersion,
  errors,
});

export const translationsUpdateView = ({
  site,
  updated,
  errors,
}: SiteUpdateRun): Output<'update-site-translations-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.length > 0,
  translations_updated: updated.length,
  errors,
});

const siteDoneView = (update: UpdateOnSite): Schemas['SiteUpdateDone'] => ({
  ...updateTargetView(update),
  ...appliedUpdateView(update),
});

function runView(done: FinishedFleetUpdate) {
  const { updated, errors, sitesUpdated } = sumFleetUpdate(done);
  const summary = { total_updated: updated.length, total_errors: errors.length, sites_updated: sitesUpdated };
  return { updated, errors, summary };
}

export function fleetRunView(done: FinishedFleetUpdate): Output<'run-updates-v1'> {
  const { updated, ...rest } = runView(done);
  return { updated: updated.map(siteDoneView), ...rest };
}

export function fleetCountsView(done: FinishedFleetUpdate): Output<'update-all-v1'> {
  const { updated, ...rest } = runView(done);
  return { updated: updateCountsView(countByType(updated)), ...rest };
}

export const ignoredPageView = (
  { items, page, perPage, total }: Page<IgnoredUpdate>,
  errors: ItemError[],
): Output<'list-ignored-updates-v1'> => ({
  ignored: items.map(ignoredUpdateView),
  page,
  per_page: perPage,
  total,
  errors,
});
