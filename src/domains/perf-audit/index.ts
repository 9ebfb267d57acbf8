export type { DeviceAudit, AuditState, Scores, Strategy, StrategyChoice } from './audit.ts';
export { parseAuditJobResult } from './audit.job.ts';
export type { SiteAuditOverview, TimeRange } from './audit-read-model.ts';
export type { HistoryEntry } from './audit-repository.ts';
export type { AuditRequest, AuditRequestOutcome } from './audit-requester.ts';
export { performanceScoreChange, isScoreBelow } from './audit-rules.ts';
export type { AuditQuery, AuditViewOptions } from './audit-service.ts';
export type { PerfAuditServices } from './part.ts';
