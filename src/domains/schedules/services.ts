import type { ScheduleRunner } from './schedule-runner.ts';
import type { ScheduleService } from './schedule-service.ts';

export interface SchedulesServices {
  schedules: ScheduleService;
  runner: ScheduleRunner;
}
