export { checkJob, checkResult } from './check.job.ts';
export { sslProbe } from './ssl-probe.ts';
export { UptimeCheck, type CheckResult, type Limit, type UptimeCheckParts } from './uptime-check.ts';
export type { UptimeServices } from './services.ts';
