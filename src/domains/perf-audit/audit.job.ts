import {
  createUnvalidatedParser,
  defineJobKind,
  plainInput,
  type ItemCall,
  type ItemResult,
  type JobKind,
} from '../../queue/index.ts';
import type { StrategyChoice } from './audit.ts';

/** A performance score is null if the device was not audited or has no score. */
export interface AuditJobResult {
  auditId: string | null;
  state: 'queued' | 'completed';
  desktop: number | null;
  mobile: number | null;
}

export interface AuditJobInput {
  strategy: StrategyChoice | null;
}

export type AuditJobCall = ItemCall<AuditJobInput, number>;
export type AuditJob = JobKind<AuditJobInput, AuditJobResult>;

export const parseAuditJobResult = createUnvalidatedParser<AuditJobResult>();

/**
 * Limits concurrent audits across all processes, because each one keeps a browser busy or counts against a quota. An
 * interrupted audit is repeated: it has recorded nothing.
 */
export const auditJob = (
  perform: (call: AuditJobCall) => Promise<ItemResult<AuditJobResult>>,
  atOnce: () => number,
): AuditJob =>
  defineJobKind({
    name: 'perf-audit',
    about: 'site',
    input: plainInput<AuditJobInput>(),
    result: parseAuditJobResult,
    whenCancelled: 'abort',
    retryPermission: 'checks:run',
    maxRunning: atOnce,
    perform,
  });
