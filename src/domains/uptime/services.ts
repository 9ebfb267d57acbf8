import type { CheckJob } from './check.job.ts';
import type { MonitorService } from './monitor-service.ts';
import type { UptimeCheck } from './uptime-check.ts';
import type { WatchJob } from './watch.job.ts';

export interface UptimeServices {
  uptime: UptimeCheck;
  monitors: MonitorService;
  checkSite: CheckJob;
  checkMonitors: WatchJob;
}
