export { dailyTimingAt } from './daily-timing.ts';
export { parsePruneResult } from './retention.ts';
export { NEVER_RUN } from './schedule-repository.ts';
export type { ScheduleRecord } from './schedule-service.ts';
export type { SchedulesServices } from './part.ts';
export { createRunFinder, nextRun } from './cron-timing.ts';
