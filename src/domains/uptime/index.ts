export { reachabilityCheckJob, parseReachabilityResult } from './reachability-check.job.ts';
export { isUp, describeAttempt, type CheckAttempt } from './check-attempt.ts';
export { decisiveAttempt, describeHeartbeat, type Heartbeat } from './heartbeat.ts';
export type { Incident } from './incident-repository.ts';
export type { HourFigures } from './monitor-figures-read-model.ts';
export type { MonitorFilter, MonitorRecord } from './monitor-list-read-model.ts';
export type { HourOfChecks } from './hourly-checks-read-model.ts';
export type { Downtime } from './uptime-history-read-model.ts';
export { gapsIn, uptimeIn, uptimePercentOf, type UptimeHistory } from './uptime-history.ts';
export { lengthOfSpans, type TimeSpan } from './time-spans.ts';
export {
  heartbeatFilterForLastDays,
  type BeatFilter,
  type MonitorWithFigures,
  type MonitorHistory,
} from './monitor-service.ts';
export { meanResponseTimeOf, noCheckFigures, addCheckFigures, type CheckFigures } from './check-figures.ts';
export {
  fleetMonitorSettings,
  SETTING_NAMES,
  type MonitorSettings,
  type MonitorOverrides,
} from './monitor-settings.ts';
export type { CheckedState } from './monitor-state.ts';
export type { OwnUpdates } from './own-updates.ts';
export type { UptimeServices } from './part.ts';
export {
  ReachabilityCheck,
  type ReachabilityResult,
  type ReachabilityRules,
  type SiteCallLimiter,
} from './reachability-check.ts';
export { parseWatchResult } from './monitor-watch.job.ts';
