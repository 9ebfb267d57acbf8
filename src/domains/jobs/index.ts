export {
  FleetRunner,
  queuedRun,
  type FleetCall,
  type FleetOutcome,
  type FleetResult,
  type FleetSite,
  type ExistingRun,
  type DuplicateRunCheck,
  type StartedRun,
} from './fleet-runner.ts';
export {
  countsOf,
  hasFailures,
  JobReadModel,
  progressOf,
  type Job,
  type JobFilter,
  type JobItem,
} from './job-read-model.ts';
export type { StageCounts } from '../../queue/index.ts';
export {
  VerificationRetries,
  type StartVerification,
  type Verification,
  type VerificationCall,
  type VerificationResult,
} from './verification-retries.ts';
export type { JobsServices } from './part.ts';
