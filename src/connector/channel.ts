import type { Outbound, OutboundAnswer } from '../outbound/index.ts';
import { OutboundError } from '../outbound/index.ts';
import { ChildBadAnswerError, type DomainError } from '../shared/errors.ts';
import { ownTurn } from '../shared/lanes.ts';
import type { ChildTarget } from './child-site.ts';
import { answerCutOff, brokenExchange, withoutFrame } from './classify.ts';
import type { SiteCookies } from './cookies.ts';
import { readFrame } from './framing.ts';
import { encodeForm, type Fields } from './payload.ts';

export interface Post {
  target: ChildTarget;
  fields: Fields;
  deadlineMs: number;
  /** True lets the call be sent once more to the front page: for reading functions and `register` alone (protocol 1.1). */
  repeatable: boolean;
  /** `register` and token requests must come without a session, or no token is made (protocol 2.5). */
  withCookies: boolean;
  signal: AbortSignal | undefined;
  /** What a sentence of the site that is passed on must not hold; without it none is passed on. */
  secrets?: readonly string[] | undefined;
  /** Is told what came before the frame of the answer, its end when it is long. */
  onPreface?: ((html: string) => void) | undefined;
}

/** Sends one form to a child and reads the frame of its answer. */
export interface Channel {
  post(call: Post): Promise<unknown>;
}

export interface ChannelOptions {
  outbound: Outbound;
  cookies: SiteCookies;
  dashboardVersion: string;
  connectTimeoutMs: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
const PREFACE_BYTES = 32 * 1024;
const SECOND_TRY_WITHIN_MS = 30_000;

/** POST target of a site: its AJAX endpoint, unless the URL already points into wp-admin (protocol 1.1). */
export function endpointOf(siteUrl: string): string {
  const url = siteUrl.endsWith('/') ? siteUrl : `${siteUrl}/`;
  return url.includes('wp-admin') ? siteUrl : `${url}wp-admin/admin-ajax.php`;
}

export function createChannel({ outbound, cookies, dashboardVersion, connectTimeoutMs }: ChannelOptions): Channel {
  async function send(call: Post, url: string, body: string, deadlineMs: number): Promise<OutboundAnswer> {
    const { target } = call;
    const address = new URL(url);
    const headers: Record<string, string> = {
      'user-agent': `Mozilla/5.0 (compatible; MainWP/${dashboardVersion}; +http://mainwp.com)`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-requested-with': 'XMLHttpRequest',
    };
    const { server } = call.fields;
    if (typeof server === 'string') headers['referer'] = server;
    if (target.httpAuth) {
      const { user, pass } = target.httpAuth;
      headers['authorization'] = `Basic ${Buffer.from(`${user}:${pass}`, 'utf8').toString('base64')}`;
    }
    const cookie = call.withCookies ? cookies.headerFor(target.siteId, address) : null;
    if (cookie !== null) headers['cookie'] = cookie;
    const answer = await outbound.request({
      url,
      method: 'POST',
      headers,
      body,
      verifyTls: target.verifyTls,
      connectTimeoutMs: Math.min(connectTimeoutMs, deadlineMs),
      deadlineMs,
      maxBytes: MAX_BYTES,
      // A signed body is worth a login of an administrator: it goes nowhere but to the site itself (protocol 3.3, 6).
      maxRedirects: 0,
      ...(call.signal && { signal: call.signal }),
    });
    if (call.withCookies) cookies.keep(target.siteId, address, answer.headers['set-cookie']);
    return answer;
  }

  async function once(
    call: Post,
    url: string,
    body: string,
    deadlineMs: number,
  ): Promise<{ value: unknown } | { error: DomainError }> {
    let answer: OutboundAnswer;
    try {
      answer = await send(call, url, body, deadlineMs);
    } catch (error) {
      if (error instanceof OutboundError) return { error: brokenExchange(error) };
      throw error;
    }
    // Answers of many sites come at once, and each takes a while to read.
    await ownTurn();
    // A frame counts whatever the status is (protocol 1.5).
    const frame = readFrame(answer.body);
    if (frame.kind === 'value') {
      if (call.onPreface) call.onPreface(prefaceOf(answer.body));
      return { value: frame.value };
    }
    if (frame.kind === 'none') {
      const isEmpty = answer.status === 200 && answer.body.length === 0;
      return { error: isEmpty ? answerCutOff() : withoutFrame(answer, call.secrets) };
    }
    return {
      error: new ChildBadAnswerError('The site sent an answer that cannot be read.', {
        problem: frame.problem,
        afterSend: true,
      }),
    };
  }

  return {
    async post(call) {
      const startedAt = performance.now();
      const body = encodeForm(call.fields);
      const endpoint = endpointOf(call.target.url);
      const first = await once(call, endpoint, body, call.deadlineMs);
      if ('value' in first) return first.value;
      const spent = performance.now() - startedAt;
      const worthIt =
        call.repeatable && isFrameless(first.error) && spent < SECOND_TRY_WITHIN_MS && spent < call.deadlineMs;
      if (!worthIt || endpoint === call.target.url || call.signal?.aborted) throw first.error;
      const second = await once(call, call.target.url, body, call.deadlineMs - spent);
      // The front page always answers with something; what the real endpoint said is the better reason.
      if ('error' in second) throw first.error;
      return second.value;
    },
  };
}

/** What stands before the frame: a log for people, which may tell why something failed. */
function prefaceOf(body: Buffer): string {
  const end = Math.max(0, body.lastIndexOf('<mainwp>'));
  return body.toString('utf8', Math.max(0, end - PREFACE_BYTES), end);
}

/** Something answered without a frame, or hung up in the middle; a site that cannot be reached is not asked twice. */
function isFrameless(error: DomainError): boolean {
  return (
    error.code === 'svc_site_refused' || (error.code === 'svc_site_unreachable' && error.data['fault'] === 'reset')
  );
}
