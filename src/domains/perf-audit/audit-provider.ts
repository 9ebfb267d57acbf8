import type { Engine, Strategy } from './audit.ts';

export interface PageAuditRequest {
  url: string;
  strategy: Strategy;
  locale: string;
  verifyTls: boolean;
}

export interface AuditProvider {
  readonly engine: Engine;
  /** Returns an unchecked report in the format of Lighthouse. Throws `AuditError`, or the reason of `signal`. */
  audit(page: PageAuditRequest, signal: AbortSignal): Promise<unknown>;
}
