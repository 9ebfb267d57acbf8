export type { UpdatesServices } from './part.ts';
export {
  sumFleetUpdate,
  type FinishedFleetUpdate,
  type FleetUpdatePlan,
  type FleetUpdateRunResult,
  type FleetUpdateRequest,
} from './fleet-updates.ts';
export { IgnoreRuleService, allItemsSlug, type IgnoreRuleChange } from './ignore-rule-service.ts';
export {
  IgnoredUpdatesReadModel,
  noIgnoreRules,
  type IgnoredFilter,
  type SiteIgnoreRules,
  type IgnoredUpdate,
} from './ignored-updates-read-model.ts';
export { applyUpdateRules } from './apply-update-rules.ts';
export { BrokenSiteRecorder } from './broken-site-recorder.ts';
export {
  UpdateGuards,
  type ActiveGuardName,
  type GuardChoice as UpdateGuardChoice,
  type GuardName,
  type PackageCaller,
  type GuardPackage,
  type GuardPackages,
  type GuardTask,
  type LeaveOutContext,
  type PackagedItem,
  type SelfRestored,
  type PackagePlace,
  type UpdateGuard,
} from './guard.ts';
export type { ForeseenUpdate } from './guard-forecast.ts';
export { toPhpError, type PhpError } from './php-error.ts';
export { createHealthProbes } from './health-probes.ts';
export { SiteHealth } from './site-health.ts';
export { compareGuarded } from './health-watch.ts';
export { begunRollback, brokenSecondsOf, withCause } from './rollback-outcome.ts';
export type { HealthReadings } from './health-readings.ts';
export { assignSitesToRings, checkedRings, ringErrorsOf, STOP_AT_UNKNOWN, type UpdateRings } from './rings.ts';
export { UpdateRuleRepository } from './update-rule-repository.ts';
export { isInPinRange, normalizePinRange } from './pin-range.ts';
export { describeLeftOut, LEFT_OUT_FLAGS } from './left-out.ts';
export { LeftOutReadModel, type LeftOutFilter } from './left-out-read-model.ts';
export { filterUpdates, type UpdateFilter } from './update-filter.ts';
export { SiteUpdater } from './site-updater.ts';
export type { SiteUpdateReport } from './site-updates.ts';
export type { UpdateRunItem } from './update-recorder.ts';
export { UpdateItems, updateJob, type UpdateJobInput } from './update.job.ts';
export {
  addSiteToUpdates,
  judgeUpdates,
  parseUpdateJobResult,
  type SkippedUpdateOnSite,
  type UpdateOnSite,
  type UpdateJobResult,
} from './update-job-result.ts';
export { UpdateReadModel, type ListedUpdate, type UpdateListFilter, type UpdatePage } from './update-read-model.ts';
export {
  CORE_SLUG,
  UPDATE_TYPES,
  countByType,
  type AppliedUpdate,
  type ExactUpdate,
  type IgnorableType,
  type UpdateHealth,
  type PendingUpdate,
  type SiteUpdateRunResult,
  type UpdateCounts,
  type UpdateType,
} from './update.ts';
export { updatesSection } from './updates-section.ts';
export type { SiteUpdateSelection } from './update-planner.ts';
export { PIN_COLUMNS, toVersionPin, VersionPinRepository, type VersionPinRow } from './version-pin-repository.ts';
export type { PinAutoUpdate, PinnableType, VersionPin } from './version-pin.ts';
