export { fromStored as identifierFrom } from './identifier.ts';
export {
  withoutValidation,
  noInput,
  plainInput,
  sealedInputs,
  type InputStorage,
  type NoInput,
  type ParseStored,
} from './input.ts';
export {
  jobKind,
  type AnyJobKind,
  type Attempt,
  type ItemResult,
  type ItemCall,
  type JobKind,
  type NewJob,
  type SubjectType,
  type WhenCancelled,
} from './kind.ts';
export { Queue, type QueueOptions } from './queue.ts';
export {
  OnlyErrors,
  Postponed,
  type ItemState,
  type JobState,
  type LeasedItem,
  type NewItemRow,
  type Stages,
} from './job.ts';
