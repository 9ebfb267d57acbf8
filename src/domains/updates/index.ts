export type { UpdatesServices } from './part.ts';
export { runTotals, type FleetDone, type FleetRun, type FleetUpdate } from './fleet-updates.ts';
export { IgnoredUpdates, allItemsSlug, type IgnoreRule } from './ignored-updates.ts';
export {
  IgnoredUpdatesReadModel,
  nothingIgnored,
  type IgnoredFilter,
  type IgnoredOnSite,
  type IgnoredUpdate,
} from './ignored-updates-read-model.ts';
export { BrokenSites } from './broken-sites.ts';
export { HomePage } from './home-page.ts';
export { ringsOf, type Rings } from './rings.ts';
export { SiteUpdater, type RunItem, type UpdateChoice } from './site-updater.ts';
export { updateJob, type UpdateJobInput } from './update.job.ts';
export { withSite, updateResult, type SiteUpdateDone, type UpdateJobResult } from './update-job-result.ts';
export { UpdateReadModel, type ListedUpdate, type UpdateFilter, type UpdatePage } from './update-read-model.ts';
export {
  CORE_SLUG,
  UPDATE_TYPES,
  countByType,
  type AppliedUpdate,
  type IgnorableType,
  type PageHealth,
  type PendingUpdate,
  type SiteRun,
  type UpdateCounts,
  type UpdateType,
} from './update.ts';
export { updatesSection } from './updates-section.ts';
