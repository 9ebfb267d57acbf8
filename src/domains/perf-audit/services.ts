import type { AuditService } from './audit-service.ts';

export interface PerfAuditServices {
  audits: AuditService;
}
