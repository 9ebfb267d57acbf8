import type { AuditService } from './audit-service.ts';

/** What other parts and the surfaces may ask of the audits. */
export interface PerfAuditServices {
  audits: AuditService;
}
