import type { ScheduleRunner } from './schedule-runner.ts';
import type { ScheduleService } from './schedule-service.ts';

/** What other parts and the surfaces may ask of the schedules. */
export interface SchedulesServices {
  schedules: ScheduleService;
  runner: ScheduleRunner;
}
