export { fromStored as identifierFrom } from './identifier.ts';
export { Queue, type QueueOptions } from './queue.ts';
export {
  ITEM_STATES,
  JOB_STATES,
  NothingButErrors,
  Postponed,
  type ItemCall,
  type ItemHandler,
  type ItemState,
  type JobState,
  type NewItem,
  type NewJob,
} from './job.ts';
