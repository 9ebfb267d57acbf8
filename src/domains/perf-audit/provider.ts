import type { Engine, Strategy } from './audit.ts';

/** The page that is to be audited, and how. */
export interface PageAudit {
  url: string;
  strategy: Strategy;
  /** Language of titles. */
  locale: string;
  verifyTls: boolean;
}

/** Who makes audits. */
export interface AuditProvider {
  readonly engine: Engine;
  /** A report in Lighthouse's format, not yet looked at. Throws `AuditError`, or what `signal` says. */
  audit(page: PageAudit, signal: AbortSignal): Promise<unknown>;
}
