import type { Outbound, OutboundResponse } from '../outbound/index.ts';
import { OutboundError } from '../outbound/index.ts';
import { ChildBadAnswerError, ChildRefusedError } from '../shared/child-call-errors.ts';
import type { DomainError } from '../shared/errors.ts';
import type { ChildTarget } from './child-site.ts';
import { emptyResponseError, outboundErrorToChildError } from './child-errors.ts';
import type { SiteCookies } from './cookies.ts';
import type { EndpointAddress, EndpointSelector } from './endpoint-selector.ts';
import { readFrame } from './response-frame.ts';
import type { ResponseLimits } from './json-limit-checker.ts';
import {
  requestTooLargeError,
  combineEndpointErrors,
  classifyErrorPage,
  SITE_WIDE_REASONS,
  type ClassifiedErrorPage,
} from './error-pages.ts';
import { encodeForm, type FormFields } from './form-encoding.ts';

export interface FormPost {
  target: ChildTarget;
  fields: FormFields;
  /** Returns the fields that sign one request. The child may refuse a signature that it has seen before. */
  sign?: (() => Promise<FormFields>) | undefined;
  deadlineMs: number;
  limits: ResponseLimits;
  /**
   * True if the call may run twice: a failed attempt is repeated at the other endpoint. Only for read functions and
   * `register` (protocol 1.1).
   */
  isRepeatable: boolean;
  /** False for `register` and token requests: the child creates a token only without a session (protocol 2.5). */
  withCookies: boolean;
  secrets: () => readonly string[];
  onPreface?: ((html: string) => void) | undefined;
  /** Called with the JSON text of the response. If it returns true, the text is not parsed; the result is undefined. */
  isKnown?: ((json: string) => boolean) | undefined;
  /** Called before each attempt is sent. If it returns false, `post` throws `RequestWithheldError`. */
  maySend?: (() => boolean) | undefined;
  signal: AbortSignal | undefined;
}

export interface Channel {
  post(call: FormPost): Promise<unknown>;
}

export interface ChannelOptions {
  outbound: Outbound;
  cookies: SiteCookies;
  endpoints: EndpointSelector;
  dashboardVersion: string;
  connectTimeoutMs: number;
}

type FormPostOutcome = { value: unknown } | { page: ClassifiedErrorPage } | { error: DomainError; reset?: boolean };

const PREFACE_BYTES = 32 * 1024;
const SECOND_TRY_WITHIN_MS = 30_000;
/** Body size in bytes and number of fields below which no site drops the fields of a request (protocol 1.3). */
const SMALL_BODY = 64 * 1024;
const FEW_FIELDS = 900;

export function createChannel(options: ChannelOptions): Channel {
  const { outbound, cookies, endpoints, dashboardVersion, connectTimeoutMs } = options;

  async function send(call: FormPost, url: URL, cookie: string | null, endsAt: number) {
    const { target } = call;
    const body = encodeForm({ ...call.fields, ...(await call.sign?.()) });
    const headers: Record<string, string> = {
      'user-agent': `Mozilla/5.0 (compatible; MainWP/${dashboardVersion}; +http://mainwp.com)`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-requested-with': 'XMLHttpRequest',
      // With this header, WordPress describes errors at the front page as JSON, not with a page for visitors.
      accept: 'application/json, text/html;q=0.9, */*;q=0.8',
    };
    const { server } = call.fields;
    if (typeof server === 'string') headers['referer'] = server;
    if (target.httpAuth) {
      const { user, pass } = target.httpAuth;
      headers['authorization'] = `Basic ${Buffer.from(`${user}:${pass}`, 'utf8').toString('base64')}`;
    }
    if (cookie !== null) headers['cookie'] = cookie;
    const deadlineMs = endsAt - performance.now();
    const answer = await outbound.request({
      url: url.href,
      method: 'POST',
      headers,
      body,
      verifyTls: target.verifyTls,
      connectTimeoutMs: Math.min(connectTimeoutMs, deadlineMs),
      deadlineMs,
      maxBytes: call.limits.bytes,
      // A call that must not run twice gets a new connection. If the site has just closed an idle connection, a request
      // on that connection fails, and its outcome is unknown. If a new connection is refused, it is certain that
      // nothing was sent.
      ownConnection: !call.isRepeatable,
      // A signed body can log in as an administrator, so it is sent only to the site itself (protocol 3.3, 6).
      maxRedirects: 0,
      ...(call.maySend && { maySend: call.maySend }),
      ...(call.signal && { signal: call.signal }),
    });
    if (call.withCookies) cookies.store(target.siteId, url, answer.headers['set-cookie']);
    return answer;
  }

  /**
   * Sends a request with cookies. If the web server refuses the headers as too large, nothing has run, so the cookies
   * are dropped and the request is sent again without them.
   */
  async function sendWithCookies(call: FormPost, url: URL, endsAt: number): Promise<OutboundResponse> {
    const { siteId } = call.target;
    const cookie = call.withCookies ? cookies.headerFor(siteId, url) : null;
    const answer = await send(call, url, cookie, endsAt);
    if (cookie === null || siteId === null || !refusesHeaders(answer)) return answer;
    cookies.forget(siteId);
    return send(call, url, null, endsAt);
  }

  async function once(call: FormPost, url: string, endsAt: number): Promise<FormPostOutcome> {
    let answer: OutboundResponse;
    try {
      answer = await sendWithCookies(call, new URL(url), endsAt);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { error: outboundErrorToChildError(error), reset: error.fault === 'reset' };
    }
    // A frame counts as the child's response with any HTTP status (protocol 1.5).
    const frame = await readFrame(answer.body, { maxValues: call.limits.values, isKnown: call.isKnown });
    if (frame.kind === 'known') return { value: undefined };
    if (frame.kind === 'value') {
      call.onPreface?.(textBeforeFrame(answer.body));
      return { value: frame.value };
    }
    if (answer.status === 200 && answer.body.length === 0) return { error: emptyResponseError(), reset: true };
    if (frame.kind === 'none') return { page: classifyErrorPage(answer, call.secrets()) };
    return { error: new ChildBadAnswerError(`The site sent a response that cannot be read. ${frame.problem}`) };
  }

  function mayTryOther(call: FormPost, first: FormPostOutcome, startedAt: number, endsAt: number): boolean {
    const now = performance.now();
    if (call.signal?.aborted || now >= endsAt || now - startedAt >= SECOND_TRY_WITHIN_MS) return false;
    if ('page' in first) {
      return first.page.isBeforeWordPress || (call.isRepeatable && !SITE_WIDE_REASONS.has(first.page.error.reason));
    }
    // `reset`: the connection broke during the exchange. If no connection could be opened, the other endpoint is not
    // called.
    return call.isRepeatable && 'reset' in first && first.reset === true;
  }

  /**
   * Returns `requestTooLargeError` if the site dropped the fields of the request because it was too large, and
   * otherwise `error`. Dropped fields look like a missing plugin, so a small request is sent to tell the two apart.
   */
  async function orDropped(call: FormPost, at: EndpointAddress, error: ChildRefusedError, endsAt: number) {
    if (error.reason !== 'plugin_missing' || performance.now() >= endsAt) return error;
    const body = encodeForm(call.fields);
    if (body.length < SMALL_BODY && body.split('&', FEW_FIELDS + 1).length <= FEW_FIELDS) return error;
    const { user, mainwpver } = call.fields;
    const hello = { user, function: 'stats', mainwpver };
    const small = await once({ ...call, fields: hello, sign: undefined, withCookies: false }, at.url, endsAt);
    return 'value' in small ? requestTooLargeError(error, body.length) : error;
  }

  return {
    async post(call) {
      const { target } = call;
      const startedAt = performance.now();
      const endsAt = startedAt + call.deadlineMs;
      const { first, other } = endpoints.of(target);
      const outcome = await once(call, first.url, endsAt);
      if ('value' in outcome) return outcome.value;
      let failure = 'page' in outcome ? outcome.page.error : outcome.error;
      if (other !== null && mayTryOther(call, outcome, startedAt, endsAt)) {
        const second = await once(call, other.url, endsAt);
        if ('value' in second) {
          endpoints.recordSuccess(target, other.endpoint);
          return second.value;
        }
        failure = bothEndpointsError(call, outcome, second);
      }
      if (!(failure instanceof ChildRefusedError)) throw failure;
      if (first.endpoint === 'front' && !SITE_WIDE_REASONS.has(failure.reason)) endpoints.recordFailure(target);
      throw await orDropped(call, first, failure, endsAt);
    },
  };
}

/**
 * Returns the error of a call that failed at both endpoints. Two error pages are combined. Otherwise, a call that may
 * run twice gets its first error. Any other call is sent to the second endpoint only if nothing ran at the first, so it
 * gets its second error.
 */
function bothEndpointsError(call: FormPost, first: FormPostOutcome, second: FormPostOutcome): DomainError {
  if ('page' in first && 'page' in second) return combineEndpointErrors(first.page, second.page);
  const [of1, of2] = [first, second].map((each) =>
    'page' in each ? each.page.error : 'error' in each ? each.error : null,
  );
  const failure = call.isRepeatable ? of1 : of2;
  return failure ?? new ChildBadAnswerError('The site sent a response that cannot be read.');
}

function textBeforeFrame(body: Buffer): string {
  const end = Math.max(0, body.lastIndexOf('<mainwp>'));
  return body.toString('utf8', Math.max(0, end - PREFACE_BYTES), end);
}

/**
 * True if the web server refused the headers as too large, before WordPress: Apache and nginx return 400, others 431
 * (RFC 6585).
 */
function refusesHeaders({ status, headers, body }: OutboundResponse): boolean {
  if (status === 431) return true;
  return status === 400 && !/^no-cache/i.test(String(headers['cache-control'])) && body.length > 8;
}
