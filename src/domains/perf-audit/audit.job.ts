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
export interface AuditResult {
  auditId: string | null;
  state: 'queued' | 'completed';
  desktop: number | null;
  mobile: number | null;
}

export interface AuditInput {
  strategy: StrategyChoice | null;
}

export type AuditCall = ItemCall<AuditInput, number>;
export type AuditJob = JobKind<AuditInput, AuditResult>;

export const parseAuditResult = createUnvalidatedParser<AuditResult>();

/**
 * Limits concurrent audits across all processes, because each one keeps a browser busy or counts against a quota. An
 * interrupted audit is repeated: it has recorded nothing.
 */
export const auditJob = (
  perform: (call: AuditCall) => Promise<ItemResult<AuditResult>>,
  atOnce: () => number,
): AuditJob =>
  defineJobKind({
    name: 'perf-audit',
    about: 'site',
    input: plainInput<AuditInput>(),
    result: parseAuditResult,
    whenCancelled: 'abort',
    maxRunning: atOnce,
    perform,
  });
