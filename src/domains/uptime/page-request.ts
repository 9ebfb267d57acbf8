import { OutboundError, type Outbound, type OutboundFault, type OutboundRequest } from '../../outbound/outbound.ts';
import { SECOND } from '../../shared/clock.ts';
import type { WebTarget } from '../sites/index.ts';
import type { MonitorMethod } from './monitor-settings.ts';

export interface PageRequestOptions {
  target: Omit<WebTarget, 'siteId'>;
  method: MonitorMethod;
  deadlineMs: number;
  form?: Record<string, string>;
  accept?: string;
  ownConnection?: boolean;
  observation?: OutboundRequest['observation'];
  signal?: AbortSignal | undefined;
}

export interface PageResponse {
  status: number;
  body: Buffer;
  contentType: string;
  retryAfter: string | undefined;
  elapsedMs: number;
}

const CONNECT_TIMEOUT = 10 * SECOND;
const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 1024 * 1024;

const HEAD_UNSUPPORTED: readonly number[] = [405, 501];

/**
 * Requests a page as a visitor does, and follows redirects. If the server does not support HEAD, uses GET. Throws the
 * errors of `Outbound.request`.
 */
export async function requestPageAsVisitor(
  outbound: Pick<Outbound, 'request'>,
  wanted: PageRequestOptions,
): Promise<PageResponse> {
  const answer = await requestPageOnce(outbound, wanted);
  if (wanted.method !== 'head' || !HEAD_UNSUPPORTED.includes(answer.status)) return answer;
  return requestPageOnce(outbound, { ...wanted, method: 'get' });
}

async function requestPageOnce(outbound: Pick<Outbound, 'request'>, wanted: PageRequestOptions): Promise<PageResponse> {
  const { target, method, deadlineMs, form, accept, ownConnection, observation, signal } = wanted;
  const { status, body, headers, elapsedMs } = await outbound.request({
    url: target.url,
    method: METHODS[method],
    headers: { ...basicAuthHeader(target), ...(form && FORM_TYPE), ...(accept !== undefined && { accept }) },
    ...(form && { body: new URLSearchParams(form).toString() }),
    verifyTls: target.verifyTls,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT, deadlineMs),
    deadlineMs,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    ...(ownConnection && { ownConnection }),
    ...(observation && { observation }),
    ...(signal && { signal }),
  });
  const retryAfter = headers['retry-after'];
  return {
    ...{ status, body, elapsedMs, contentType: String(headers['content-type'] ?? '') },
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
  };
}

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const UNREADABLE: readonly OutboundFault[] = ['body_too_large', 'bad_encoding'];

export const statusOfUnreadableResponse = (error: unknown): number | null =>
  error instanceof OutboundError && UNREADABLE.includes(error.fault) ? error.status : null;

const METHODS = { head: 'HEAD', get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

function basicAuthHeader({ httpAuth }: Pick<WebTarget, 'httpAuth'>): Record<string, string> {
  if (!httpAuth) return {};
  return { authorization: `Basic ${Buffer.from(`${httpAuth.user}:${httpAuth.pass}`).toString('base64')}` };
}
