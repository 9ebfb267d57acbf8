import { OutboundError, type Outbound, type OutboundFault, type OutboundRequest } from '../../outbound/outbound.ts';
import { SECOND } from '../../shared/clock.ts';
import type { WebTarget } from '../sites/index.ts';
import type { MonitorMethod } from './monitor-settings.ts';

export interface Visit {
  target: Omit<WebTarget, 'siteId'>;
  method: MonitorMethod;
  deadlineMs: number;
  ownConnection?: boolean;
  observation?: OutboundRequest['observation'];
  signal?: AbortSignal | undefined;
}

/** What a web server answered to a visitor. */
export interface VisitAnswer {
  /** Of the answer after redirects. */
  status: number;
  /** Empty where the status alone is known. */
  body: Buffer;
  contentType: string;
  elapsedMs: number;
}

const CONNECT_TIMEOUT = 10 * SECOND;
const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 1024 * 1024;

/** Servers that do not know the method HEAD say so by these. */
const HEAD_NOT_KNOWN: readonly number[] = [405, 501];

/**
 * Asks the web server of a site as a visitor would, over redirects; a server that refuses HEAD is asked with GET.
 * Throws as `Outbound.request` does.
 */
export async function visit(outbound: Pick<Outbound, 'request'>, wanted: Visit): Promise<VisitAnswer> {
  const answer = await ask(outbound, wanted);
  if (wanted.method !== 'head' || !HEAD_NOT_KNOWN.includes(answer.status)) return answer;
  return ask(outbound, { ...wanted, method: 'get' });
}

async function ask(outbound: Pick<Outbound, 'request'>, wanted: Visit): Promise<VisitAnswer> {
  const { target, method, deadlineMs, ownConnection, observation, signal } = wanted;
  const { status, body, headers, elapsedMs } = await outbound.request({
    url: target.url,
    method: METHODS[method],
    headers: authorizationOf(target),
    verifyTls: target.verifyTls,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT, deadlineMs),
    deadlineMs,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    ...(ownConnection && { ownConnection }),
    ...(observation && { observation }),
    ...(signal && { signal }),
  });
  return { status, body, contentType: String(headers['content-type'] ?? ''), elapsedMs };
}

/** An answer came, and its body is of no use. */
const UNREADABLE: readonly OutboundFault[] = ['body_too_large', 'bad_encoding'];

/** The status of an answer whose body could not be read; null when none came. */
export const statusOfUnreadable = (error: unknown): number | null =>
  error instanceof OutboundError && UNREADABLE.includes(error.fault) ? error.status : null;

const METHODS = { head: 'HEAD', get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

function authorizationOf({ httpAuth }: Pick<WebTarget, 'httpAuth'>): Record<string, string> {
  if (!httpAuth) return {};
  return { authorization: `Basic ${Buffer.from(`${httpAuth.user}:${httpAuth.pass}`).toString('base64')}` };
}
