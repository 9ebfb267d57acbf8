export { fromStoredIdentifier as identifierFrom } from './stored-identifier.ts';
export {
  createUnvalidatedParser,
  noInput,
  plainInput,
  sealedInputs,
  type InputStorage,
  type NoInput,
  type ParseStored,
} from './input-storage.ts';
export {
  defineJobKind,
  type AnyJobKind,
  type Attempt,
  type ItemResult,
  type ItemCall,
  type JobKind,
  type NewJob,
  type SubjectType,
  type CancelBehavior,
} from './job-kind.ts';
export { Queue, type QueueOptions } from './queue.ts';
export { countStages, type StageCounts } from './stage-counts-store.ts';
export {
  END_STATES,
  PostponedItem,
  ItemWithErrors,
  resultWithErrors,
  type EndState,
  type ItemCounts,
  type ItemFault,
  type ItemState,
  type ItemVerdict,
  type StageStop,
  type JobState,
  type LeasedItem,
  type ItemPages,
  type NewItemRow,
  type JobStages,
} from './job.ts';
