import type { BucketService } from './bucket-service.ts';
import type { TrackedClientService } from './client-service.ts';
import type { TaskService } from './task-service.ts';
import type { TimerService } from './timer-service.ts';

export interface TimeTrackerServices {
  tasks: TaskService;
  timers: TimerService;
  buckets: BucketService;
  clientTime: TrackedClientService;
}
