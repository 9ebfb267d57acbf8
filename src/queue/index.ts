export { fromStored as identifierFrom } from './identifier.ts';
export { asWritten, noInput, plainInput, sealedInputs, type KeptInput, type NoInput, type Reading } from './input.ts';
export {
  jobKind,
  type AnyJobKind,
  type Attempt,
  type ItemAnswer,
  type ItemCall,
  type JobKind,
  type NewJob,
  type SubjectType,
  type WhenCancelled,
} from './kind.ts';
export { Queue, type QueueOptions } from './queue.ts';
export {
  NothingButErrors,
  Postponed,
  type ItemState,
  type JobState,
  type LeasedItem,
  type NewItemRow,
  type Stages,
} from './job.ts';
