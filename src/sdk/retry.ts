import { isRefusal, type SitefleetError } from './errors.ts';

export interface Backoff {
  /** Milliseconds before the first further attempt; it doubles with each. */
  firstMs: number;
  /** The longest that is waited. A service that asks for more is taken at its word, and its refusal is thrown. */
  longestMs: number;
}

/** Doubles, and is spread by half, so that many callers do not come back in the same moment. */
export const backoffMs = (attempt: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Milliseconds of a `Retry-After`, which gives seconds or a date; null without one. */
export function retryAfterMs(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** What the attempts of a call have in common. */
export interface Repetition {
  /** Sending it twice does no harm, by its nature or since its key lets it be done once. */
  mayRepeat: boolean;
}

/** Whether the next attempt can be answered otherwise. */
export function mayChange(refusal: SitefleetError, response: Response, { mayRepeat }: Repetition): boolean {
  if (isRefusal(refusal, 'svc_idempotency_in_progress')) return refusal.data.interrupted !== true;
  // What was answered to a key stays its answer.
  if (response.headers.get('idempotency-replayed') === 'true') return false;
  if (refusal.status === 429) return true;
  // It is the site that does not answer; the service has tried for as long as its settings say.
  if (refusal.code === 'svc_site_unreachable' && !response.headers.has('retry-after')) return false;
  return refusal.status === 503 && mayRepeat;
}
