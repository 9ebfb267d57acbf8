import { isRefusal, type SitefleetError } from './errors.ts';

export interface Backoff {
  /** Milliseconds before the second attempt. Doubles with each further attempt. */
  firstMs: number;
  /**
   * Maximum delay in milliseconds. If the service asks for a longer one, the call is not retried and its error is
   * thrown.
   */
  longestMs: number;
}

/** The delay doubles with each attempt. Up to half of it is random, so that clients do not retry at the same moment. */
export const backoffMs = (attempt: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);

export function retryAfterMs(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

export interface RetryPolicy {
  /** True if the call may be sent twice: it only reads, or its idempotency key prevents a second effect. */
  mayRepeat: boolean;
}

/** True if another call with the same idempotency key is running, so that this call can wait for its response. */
export const isFirstCallRunning = (refusal: SitefleetError): boolean =>
  isRefusal(refusal, 'svc_idempotency_in_progress') && refusal.data.interrupted !== true;

export function shouldRetry(refusal: SitefleetError, response: Response, { mayRepeat }: RetryPolicy): boolean {
  // This response was stored for the idempotency key, so the service would return it again.
  if (response.headers.get('idempotency-replayed') === 'true') return false;
  if (refusal.status === 429) return true;
  // The site does not respond, and the service has already retried as its settings allow.
  if (refusal.code === 'svc_site_unreachable' && !response.headers.has('retry-after')) return false;
  return refusal.status === 503 && mayRepeat;
}
