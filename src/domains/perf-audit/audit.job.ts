import { asWritten, jobKind, plainInput, type ItemCall, type ItemAnswer, type JobKind } from '../../queue/index.ts';
import type { StrategyChoice } from './audit.ts';

/** What an audit came to; of a device that was not audited, or got no score, null. */
export interface AuditResult {
  auditId: string | null;
  state: 'queued' | 'completed';
  desktop: number | null;
  mobile: number | null;
}

export interface AuditInput {
  /** Null follows the setting. */
  strategy: StrategyChoice | null;
}

export type AuditCall = ItemCall<AuditInput, number>;
export type AuditJob = JobKind<AuditInput, AuditResult>;

export const auditResult = asWritten<AuditResult>();

/**
 * Audits a site; so many at a time in all processes, because each keeps a browser busy, or counts against a quota. One
 * that was interrupted is made anew: nothing of it was recorded.
 */
export const auditJob = (
  perform: (call: AuditCall) => Promise<ItemAnswer<AuditResult>>,
  atOnce: () => number,
): AuditJob =>
  jobKind({
    name: 'perf-audit',
    about: 'site',
    input: plainInput<AuditInput>(),
    result: auditResult,
    whenCancelled: 'abort',
    atOnce,
    perform,
  });
