export { checkJob, checkResult } from './check.job.ts';
export { isUp, sentenceOf, type Attempt } from './finding.ts';
export { decisive, verdictOf, type Heartbeat } from './heartbeat.ts';
export type { Incident } from './incident-repository.ts';
export type { HourFigures, MonitorFigures } from './monitor-figures-read-model.ts';
export type { MonitorFilter, MonitorRecord } from './monitor-list-read-model.ts';
export type { Downtime, HourOfChecks } from './monitor-history-read-model.ts';
export {
  lastDays,
  MonitorService,
  type BeatFilter,
  type FiguredMonitor,
  type MonitorHistory,
} from './monitor-service.ts';
export { meanTimeOf, noFigures, ratioOf, together, type Figures } from './roll-up.ts';
export { fleetSettings, SETTING_NAMES, type MonitorSettings, type OwnSettings } from './monitor-settings.ts';
export type { CheckedState, MonitorState } from './monitor-state.ts';
export type { UptimeServices } from './services.ts';
export { UptimeCheck, type CheckResult, type CheckRules, type Limit, type UptimeCheckParts } from './uptime-check.ts';
export { watchResult } from './watch.job.ts';
