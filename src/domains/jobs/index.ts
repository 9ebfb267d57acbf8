export {
  FleetRunner,
  toQueuedFleetRun,
  type FleetCall,
  type FleetResultsAndErrors,
  type FinishedOrQueuedFleetRun,
  type FleetSite,
  type ExistingRun,
  type DuplicateRunCheck,
  type StartedRun,
} from './fleet-runner.ts';
export { itemCountsOf, hasFailures, JobReadModel, progressOf, type JobFilter, type JobItem } from './job-read-model.ts';
export type { Job } from './job.ts';
export { currentStopOf } from './visible-job.ts';
export type { StageCounts } from '../../queue/index.ts';
export {
  VerificationRetries,
  type StartVerification,
  type VerificationDefinition,
  type VerificationCall,
  type VerificationAttemptResult,
} from './verification-retries.ts';
export type { JobsServices } from './part.ts';
