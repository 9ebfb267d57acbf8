/** The devices that a page is audited for. Stored and told by these names. */
export const STRATEGIES = ['desktop', 'mobile'] as const;
export type Strategy = (typeof STRATEGIES)[number];
export type StrategyChoice = Strategy | 'both';

export type AuditState = 'never' | 'queued' | 'running' | 'completed' | 'failed';

/** Who makes an audit. */
export type Engine = 'pagespeed' | 'lighthouse';

export const SCORES = ['performance', 'accessibility', 'bestPractices', 'seo'] as const;
/** 0 to 100; null where the audit gave none. */
export type Scores = Record<(typeof SCORES)[number], number | null>;

/** One measure of the page while it loads. */
export interface LabItem {
  id: string;
  title: string;
  /** 0 to 1. */
  score: number | null;
  numericValue: number | null;
  numericUnit: string | null;
  displayValue: string | null;
}

/** What would make the page faster. */
export interface Opportunity {
  id: string;
  title: string;
  score: number | null;
  displayValue: string | null;
  savingsMs: number;
}

/** What an audit found for one device. */
export interface Finding {
  scores: Scores;
  finalUrl: string | null;
  engineVersion: string | null;
  labData: LabItem[];
  opportunities: Opportunity[];
}

/** The newest finding for a device. Times are milliseconds since 1970. */
export interface AuditSide extends Finding {
  /** Of the audit before; null without one. */
  previous: Scores | null;
  fetchedAt: number;
}
export type AuditSides = Record<Strategy, AuditSide | null>;

const AUDIT_ERRORS = [
  'missing_api_key',
  'api_key_refused',
  'quota_exceeded',
  'provider_failed',
  'bad_answer',
  'page_unreachable',
  'invalid_url',
  'address_refused',
  'timeout',
  'browser_missing',
  'browser_failed',
  'out_of_memory',
  'too_large',
  'site_unavailable',
  'interrupted',
] as const;
export type AuditErrorCode = (typeof AUDIT_ERRORS)[number];

export interface AuditFault {
  code: AuditErrorCode;
  /** A sentence for a person. */
  message: string;
}

/** An audit that came to nothing, and why. */
export class AuditError extends Error {
  override readonly name = 'AuditError';
  readonly code: AuditErrorCode;
  /** After so many milliseconds another attempt may go through; null where it would not. */
  readonly retryAfterMs: number | null;
  constructor(code: AuditErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
