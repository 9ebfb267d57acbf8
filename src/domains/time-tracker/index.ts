export type { BucketPatch, BucketRecord, NewBucket } from './bucket.ts';
export type { ClientTimeTotals } from './tracked-client-read-model.ts';
export type { ClientSettingsPatch, EffectiveClientSettings, TrackedClientDetail } from './tracked-client-service.ts';
export { amountToNumber, fromPriceUnits } from './price.ts';
export type { TimeTrackerServices } from './part.ts';
export type { NewTask, TaskTimeEntry, TaskFilter, TaskPatch } from './task.ts';
export type { TaskDetail, TaskRecord } from './task-read-model.ts';
export type { TimerOperator } from './task-repository.ts';
