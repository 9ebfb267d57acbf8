import { OutboundError, type Outbound, type OutboundResponse } from '../../outbound/outbound.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { InvalidError } from '../../shared/errors.ts';
import { parseRetryAfter } from '../../shared/retry-after.ts';
import { AuditError } from './audit.ts';
import type { AuditProvider, PageAuditRequest } from './audit-provider.ts';
import { lighthouseCodeToAuditError } from './lighthouse-report.ts';

export interface PageSpeedDeps {
  outbound: Pick<Outbound, 'request'>;
  clock: Clock;
  address: string;
  apiKey: string;
  deadlineMs: number;
}

const CONNECT_TIMEOUT = 10 * SECOND;
/** Maximum size of a response. It contains screenshots and can have a few megabytes. */
const MAX_BYTES = 24 * 1024 * 1024;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
/** Pause after a refused request if the response has no `Retry-After`. The quota is per minute. */
const QUOTA_PAUSE = 60 * SECOND;
const LONGEST_PAUSE = 10 * 60 * SECOND;

type PageSpeedFields = Readonly<Record<string, unknown>>;
const objectOrEmpty = (value: unknown): PageSpeedFields =>
  typeof value === 'object' && value !== null ? (value as PageSpeedFields) : {};
const limitedText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 2000) : '');

/** Audits with the PageSpeed Insights API, version 5: Google's machines run Lighthouse on the page. */
export const createPageSpeedProvider = ({
  outbound,
  clock,
  address,
  apiKey,
  deadlineMs,
}: PageSpeedDeps): AuditProvider => ({
  engine: 'pagespeed',
  audit: async (page, signal) => {
    const answer = await sendRequest(outbound, { url: requestUrl(address, page, apiKey), deadlineMs, signal });
    const body = parseJsonBody(answer);
    if (answer.status !== 200) throw responseToAuditError(answer, body, clock.now());
    return objectOrEmpty(body)['lighthouseResult'];
  },
});

function requestUrl(address: string, { url, strategy, locale }: PageAuditRequest, apiKey: string): string {
  const question = new URL(address);
  const { searchParams } = question;
  searchParams.set('url', url);
  searchParams.set('strategy', strategy);
  searchParams.set('locale', locale);
  for (const category of CATEGORIES) searchParams.append('category', category);
  searchParams.set('key', apiKey);
  return question.href;
}

async function sendRequest(
  outbound: Pick<Outbound, 'request'>,
  { url, deadlineMs, signal }: { url: string; deadlineMs: number; signal: AbortSignal },
): Promise<OutboundResponse> {
  try {
    return await outbound.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT, deadlineMs),
      deadlineMs,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (cause instanceof InvalidError)
      throw new AuditError('address_refused', 'Calls to the address of the PageSpeed API are not allowed.', { cause });
    if (!(cause instanceof OutboundError)) throw cause;
    if (cause.fault === 'timeout')
      throw new AuditError('timeout', 'The PageSpeed API did not answer in time.', { cause });
    if (cause.fault === 'body_too_large' || cause.fault === 'bad_encoding')
      throw new AuditError('bad_answer', 'The response of the PageSpeed API cannot be read.', { cause });
    throw new AuditError('provider_failed', 'The PageSpeed API could not be reached.', { cause });
  }
}

/** Returns undefined if an error response is not JSON: its status says enough. */
function parseJsonBody({ status, body }: OutboundResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    if (status !== 200) return undefined;
    throw new AuditError('bad_answer', 'The PageSpeed API returned a response that is not JSON.', { cause });
  }
}

const QUOTA = /^(RESOURCE_EXHAUSTED|rateLimitExceeded|userRateLimitExceeded|quotaExceeded|dailyLimitExceeded)$/;
const KEY =
  /^(API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|keyInvalid|accessNotConfigured|PERMISSION_DENIED|UNAUTHENTICATED)$/;

/** Converts a Google error: `{error: {code, message, status, errors: [{reason}], details: [{reason}]}}`. */
function responseToAuditError(answer: OutboundResponse, body: unknown, now: number): AuditError {
  const { status } = answer;
  const error = objectOrEmpty(objectOrEmpty(body)['error']);
  const listed = [error['errors'], error['details']].flatMap((list): unknown[] =>
    Array.isArray(list) ? list.slice(0, 20) : [],
  );
  const names = [limitedText(error['status']), ...listed.map((each) => limitedText(objectOrEmpty(each)['reason']))];
  const message = limitedText(error['message']);
  const [, lighthouseCode] = /^Lighthouse returned error: ([A-Z_]+)/.exec(message) ?? [];
  if (lighthouseCode !== undefined) return lighthouseCodeToAuditError(lighthouseCode);
  if (status === 429 || names.some((name) => QUOTA.test(name)))
    return new AuditError('quota_exceeded', 'The quota of the PageSpeed API is used up.', {
      retryAfterMs: retryDelayOf(answer, now),
    });
  if (status === 401 || status === 403 || names.some((name) => KEY.test(name)) || /\bAPI key\b/i.test(message))
    return new AuditError('api_key_refused', `The PageSpeed API rejected the key (${status}).`);
  if (status === 400) return new AuditError('invalid_url', 'The PageSpeed API does not accept this URL (400).');
  return new AuditError('provider_failed', `The PageSpeed API answered with the status ${status}.`);
}

function retryDelayOf({ headers }: OutboundResponse, now: number): number | null {
  const pause = parseRetryAfter(headers['retry-after'], now) || QUOTA_PAUSE;
  return pause > LONGEST_PAUSE ? null : pause;
}
