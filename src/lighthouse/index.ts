export { Lighthouse, LighthouseError, type LighthouseOptions } from './lighthouse.ts';
export type { AuditLimits, AuditTask, LighthouseFault, Strategy } from './messages.ts';
