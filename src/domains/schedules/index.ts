export { dailyAt, syncTiming } from './general-timings.ts';
export { pruned, type Pruned } from './retention.ts';
export { ScheduleRunner } from './schedule-runner.ts';
export { ScheduleService, type ScheduleRecord } from './schedule-service.ts';
export type { SchedulesServices } from './services.ts';
export { nextRun } from './timing.ts';
