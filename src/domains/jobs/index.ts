export {
  FleetRunner,
  queuedRun,
  type FleetCall,
  type FleetOutcome,
  type FleetResult,
  type FleetSite,
  type OtherRun,
  type RunGuard,
  type StartedRun,
} from './fleet-runner.ts';
export {
  JobReadModel,
  progressOf,
  type Job,
  type JobFilter,
  type JobItem,
  type StageCounts,
} from './job-read-model.ts';
export { LaterLooks, type Follow, type Look, type LookCall, type Looked } from './later-looks.ts';
export type { JobsServices } from './part.ts';
