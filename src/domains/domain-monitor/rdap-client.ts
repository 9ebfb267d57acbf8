import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts';
import { MINUTE, SECOND } from '../../shared/clock.ts';
import { parseRetryAfter } from '../../shared/retry-after.ts';
import type { DomainFacts } from './domain-facts.ts';
import { isJsonObject } from './json-reading.ts';
import { LookupFault } from './lookup-fault.ts';
import { parseRdapRecord } from './rdap-record.ts';

const CONNECT_TIMEOUT = 10 * SECOND;
const MAX_BYTES = 512 * 1024;
const MAX_REDIRECTS = 3;
/** Pause after a response with status 429 that does not say how long to wait. */
const PAUSE = 15 * MINUTE;

export interface RdapQuery {
  base: string;
  name: string;
  deadlineMs: number;
  signal?: AbortSignal | undefined;
  /** Milliseconds since 1970. Needed if `Retry-After` is a date. */
  now: number;
}

/** Asks an RDAP server (RFC 9082) for a domain. Throws `LookupFault` and the errors of `request`. */
export async function queryRdap(outbound: Pick<Outbound, 'request'>, question: RdapQuery): Promise<DomainFacts> {
  const { base, name, deadlineMs, signal, now } = question;
  const answer = await outbound.request({
    url: `${base}domain/${name}`,
    method: 'GET',
    headers: { accept: 'application/rdap+json, application/json;q=0.9' },
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT, deadlineMs),
    deadlineMs,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    ...(signal && { signal }),
  });
  if (answer.status === 200) return parseRdapRecord(answer.body.toString('utf8'), name);
  throw statusToLookupFault(answer, now);
}

function statusToLookupFault({ status, headers, body }: OutboundResponse, now: number): LookupFault {
  const pauseMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 429 || (status === 503 && pauseMs !== null))
    return new LookupFault('rate_limited', 'The registry limits the number of requests.', {
      pauseMs: pauseMs ?? PAUSE,
    });
  if (status === 404 && isNegativeAnswer(body.toString('utf8')))
    return new LookupFault('not_found', 'The registry does not know this domain.');
  return new LookupFault('refused', `The registry answered with the status ${status}.`);
}

/**
 * True if the body can be that of an RDAP server (RFC 7480, 5.3: the body is optional). A page is from another server,
 * for example because the address of the RDAP server has changed.
 */
function isNegativeAnswer(body: string): boolean {
  if (body.trim() === '') return true;
  try {
    return isJsonObject(JSON.parse(body));
  } catch {
    return false;
  }
}
