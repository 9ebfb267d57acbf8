import { OutboundError, type Outbound, type OutboundAnswer, type OutboundFault } from '../../outbound/outbound.ts';
import { SECOND } from '../../shared/clock.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { SiteLinks } from '../sites/index.ts';

/** What asking a site's web server found. */
export interface CheckResult {
  siteId: number;
  siteUrl: string;
  /** An answer came whose status is below 500; `httpStatus` tells a broken site from one that does not answer. */
  reachable: boolean;
  /** Of the answer after redirects; 0 without one. */
  httpStatus: number;
  /** How long the answer took; without one, how long was waited. */
  responseTimeMs: number;
}

/** Queues work for a site behind other calls to it, by the limits of the operator, until `signal` ends the wait. */
export type Limit = <T>(site: { id: number; url: string }, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface UptimeCheckParts {
  outbound: Pick<Outbound, 'request'>;
  links: Pick<SiteLinks, 'access'>;
  limit: Limit;
  /** The web server of this site answers as it should. */
  onReachable?: (siteId: number) => void;
  /** How long a site may take to answer; half a minute by default. */
  deadlineMs?: number | undefined;
}

const CONNECT_TIMEOUT = 10 * SECOND;
const DEADLINE = 30 * SECOND;
const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 1024 * 1024;

/** An answer came, and its body is of no use; its status is asked for without one. */
const ANSWERED: readonly OutboundFault[] = ['body_too_large', 'bad_encoding'];

/** 0 stands for no answer. */
const isReachable = (status: number): boolean => status > 0 && status < 500;

type Target = Awaited<ReturnType<SiteLinks['access']>>['target'];
interface Answer {
  status: number;
  elapsedMs: number;
}

/**
 * Asks the web server of a site as a visitor would; neither the child plugin nor the status of the site plays a part.
 */
export class UptimeCheck {
  readonly #parts: UptimeCheckParts;
  readonly #listeners: ((siteId: number, status: number) => Promise<void>)[] = [];

  constructor(parts: UptimeCheckParts) {
    this.#parts = parts;
  }

  /** Hears what each check found, before it is answered; a status of 0 stands for no answer. */
  onChecked(listener: (siteId: number, status: number) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /**
   * Throws `svc_site_not_found`, and `svc_address_refused` when the site or a redirect leads to an address that may not
   * be dialled; a site that does not answer is a result. `signal` ends the check by a throw.
   */
  async check(siteId: number, signal?: AbortSignal, method: 'GET' | 'HEAD' = 'GET'): Promise<CheckResult> {
    const { target } = await this.#parts.links.access(siteId);
    const { status, elapsedMs } = await this.#ask(target, siteId, method, signal);
    if (isReachable(status)) this.#parts.onReachable?.(siteId);
    for (const listener of this.#listeners) await listener(siteId, status);
    return {
      siteId,
      siteUrl: target.url,
      reachable: isReachable(status),
      httpStatus: status,
      responseTimeMs: Math.max(0, Math.round(elapsedMs)),
    };
  }

  async #ask(target: Target, siteId: number, method: 'GET' | 'HEAD', signal?: AbortSignal): Promise<Answer> {
    let began = performance.now();
    try {
      const work = (): Promise<OutboundAnswer> => {
        // The wait for a turn is ours, not the site's.
        began = performance.now();
        return this.#parts.outbound.request({
          url: target.url,
          method,
          headers: authorizationOf(target),
          verifyTls: target.verifyTls,
          connectTimeoutMs: CONNECT_TIMEOUT,
          deadlineMs: this.#parts.deadlineMs ?? DEADLINE,
          maxBytes: MAX_BYTES,
          maxRedirects: MAX_REDIRECTS,
          ...(signal && { signal }),
        });
      };
      return await this.#parts.limit({ id: siteId, url: target.url }, work, signal);
    } catch (error) {
      if (error instanceof OutboundError && error.fault !== 'aborted')
        return method === 'GET' && ANSWERED.includes(error.fault)
          ? this.#ask(target, siteId, 'HEAD', signal)
          : { status: 0, elapsedMs: error.elapsedMs };
      // A redirect to what is no web address: the visitor gets no page.
      if (error instanceof InvalidError && error.code === 'svc_invalid_url')
        return { status: 0, elapsedMs: performance.now() - began };
      throw error;
    }
  }
}

function authorizationOf({ httpAuth }: Target): Record<string, string> {
  if (!httpAuth) return {};
  return { authorization: `Basic ${Buffer.from(`${httpAuth.user}:${httpAuth.pass}`).toString('base64')}` };
}
