/** Devices of an audit. These names are stored and returned to callers. */
export const STRATEGIES = ['desktop', 'mobile'] as const;
export type Strategy = (typeof STRATEGIES)[number];
export type StrategyChoice = Strategy | 'both';

export type AuditState = 'never' | 'queued' | 'running' | 'completed' | 'failed';

export type Engine = 'pagespeed' | 'lighthouse';

export const SCORE_NAMES = ['performance', 'accessibility', 'bestPractices', 'seo'] as const;
/** Scores from 0 to 100; null if the audit has none. */
export type Scores = Record<(typeof SCORE_NAMES)[number], number | null>;

export interface LabItem {
  id: string;
  title: string;
  /** From 0 to 1. */
  score: number | null;
  numericValue: number | null;
  numericUnit: string | null;
  displayValue: string | null;
}

export interface Opportunity {
  id: string;
  title: string;
  score: number | null;
  displayValue: string | null;
  savingsMs: number;
}

export interface DeviceAuditResult {
  scores: Scores;
  finalUrl: string | null;
  engineVersion: string | null;
  labData: LabItem[];
  opportunities: Opportunity[];
}

export interface DeviceAudit extends DeviceAuditResult {
  previous: Scores | null;
  fetchedAt: number;
}
export type DeviceAudits = Record<Strategy, DeviceAudit | null>;

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
  message: string;
}

export class AuditError extends Error {
  override readonly name = 'AuditError';
  readonly code: AuditErrorCode;
  /** Milliseconds after which a retry may succeed; null if it would not help. */
  readonly retryAfterMs: number | null;
  constructor(code: AuditErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
