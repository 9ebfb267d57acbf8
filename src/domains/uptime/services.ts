import type { CheckJob } from './check.job.ts';
import type { UptimeCheck } from './uptime-check.ts';

/** What other parts and the surfaces may ask of the uptime. */
export interface UptimeServices {
  uptime: UptimeCheck;
  checkSite: CheckJob;
}
