import type { components, operations } from '../../../../generated/abilities.ts';
import {
  countByType,
  sumFleetUpdate,
  type AppliedUpdate,
  type FinishedFleetUpdate,
  type IgnorableType,
  type IgnoredUpdate,
  type PendingUpdate,
  type SiteUpdateReport,
  type SiteUpdateRunResult,
  type UpdateOnSite,
  type UpdatePage,
  type UpdateType,
} from '../../../domains/updates/index.ts';
import type { AbilityOutput } from '../../../http/operation-types.ts';
import type { ItemError } from '../../../shared/item-error.ts';
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
type UpdateGroupName = Schemas['UpdateGroup'];
type OutputOfUpdateAbility<Name extends keyof operations> = AbilityOutput<operations, Name>;

const TYPES = { core: 'core', plugins: 'plugin', themes: 'theme', translations: 'translation' } as const;

export const updateTypesOf = (groups: readonly UpdateGroupName[]): UpdateType[] =>
  [...new Set(groups)].map((group) => TYPES[group]);

export const ignorableTypesOf = (groups: readonly Exclude<UpdateGroupName, 'translations'>[]): IgnorableType[] =>
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
): OutputOfUpdateAbility<'list-updates-v1'> => ({
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
): OutputOfUpdateAbility<'get-site-updates-v1'> => ({
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

export const siteRunView = ({
  site,
  updated,
  errors,
}: SiteUpdateReport): OutputOfUpdateAbility<'update-site-plugins-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.map(appliedUpdateView),
  errors,
  total_updated: updated.length,
});

type CoreUpdate = Pick<SiteUpdateRunResult, 'site' | 'errors'> & { update: AppliedUpdate };

export const coreUpdateView = ({ site, update, errors }: CoreUpdate): OutputOfUpdateAbility<'update-site-core-v1'> => ({
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
}: SiteUpdateRunResult): OutputOfUpdateAbility<'update-site-translations-v1'> => ({
  site_id: site.id,
  site_url: site.url,
  updated: updated.length > 0,
  translations_updated: updated.length,
  errors,
});

const updateOnSiteView = (update: UpdateOnSite): Schemas['SiteUpdateDone'] => ({
  ...updateTargetView(update),
  ...appliedUpdateView(update),
});

function summarizeFleetRun(done: FinishedFleetUpdate) {
  const { updated, errors, sitesUpdated } = sumFleetUpdate(done);
  const summary = { total_updated: updated.length, total_errors: errors.length, sites_updated: sitesUpdated };
  return { updated, errors, summary };
}

export function fleetRunView(done: FinishedFleetUpdate): OutputOfUpdateAbility<'run-updates-v1'> {
  const { updated, ...rest } = summarizeFleetRun(done);
  return { updated: updated.map(updateOnSiteView), ...rest };
}

export function fleetUpdateCountsView(done: FinishedFleetUpdate): OutputOfUpdateAbility<'update-all-v1'> {
  const { updated, ...rest } = summarizeFleetRun(done);
  return { updated: updateCountsView(countByType(updated)), ...rest };
}

export const ignoredPageView = (
  { items, page, perPage, total }: Page<IgnoredUpdate>,
  errors: ItemError[],
): OutputOfUpdateAbility<'list-ignored-updates-v1'> => ({
  ignored: items.map(ignoredUpdateView),
  page,
  per_page: perPage,
  total,
  errors,
});
