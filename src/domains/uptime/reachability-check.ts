import { randomBytes } from 'node:crypto';
import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { InvalidError } from '../../shared/errors.ts';
import { refuseUnlessConnected, type ChildLinkResolver } from '../sites/index.ts';
import type { MonitorMethod } from './monitor-settings.ts';
import { hasCriticalError, isTemporaryResponse, linkedPaths, type PageReading } from './page-inspection.ts';
import { statusOfUnreadableResponse, requestPageAsVisitor, type PageRequestOptions } from './page-request.ts';

export interface ReachabilityResult {
  siteId: number;
  siteUrl: string;
  /**
   * True if the response has a status below 500, or one that the settings accept. `httpStatus` distinguishes a broken
   * site from one that does not respond.
   */
  reachable: boolean;
  /** Status after redirects; 0 without a response. */
  httpStatus: number;
  responseTimeMs: number;
}

export type SiteCallLimiter = <T>(
  site: { id: number; url: string },
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

export interface ReachabilityRules {
  method: MonitorMethod;
  deadlineMs: number;
  acceptedStatuses: readonly number[];
}

export interface ReachabilityCheckDeps {
  outbound: Pick<Outbound, 'request'>;
  links: Pick<ChildLinkResolver, 'access'>;
  limit: SiteCallLimiter;
  rules: () => ReachabilityRules;
  onReachable?: (siteId: number) => void;
}

export interface UncachedStatus {
  status: number;
  isTemporary: boolean;
}

type HomePageTarget = Awaited<ReturnType<ChildLinkResolver['access']>>['target'];
interface PageAnswer {
  status: number;
  body: string;
  isTemporary: boolean;
  elapsedMs: number;
}
type PageRequest = Pick<ReachabilityRules, 'method' | 'deadlineMs'> &
  Pick<PageRequestOptions, 'form' | 'signal' | 'accept'> & {
    maxTextBytes?: number;
    /**
     * Called right before the request, after the wait for a free slot of the address. Throws if the request must no
     * longer be sent.
     */
    admit?: () => Promise<unknown>;
  };

export class ReachabilityCheck {
  readonly #deps: ReachabilityCheckDeps;
  readonly #listeners: ((siteId: number, status: number) => Promise<void>)[] = [];

  constructor(deps: ReachabilityCheckDeps) {
    this.#deps = deps;
  }

  /** Adds a listener that `check` calls before it returns. A status of 0 means no response. */
  onChecked(listener: (siteId: number, status: number) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /**
   * Checks a site. A site that does not respond is a result, not an error. Throws `svc_site_not_found`, and
   * `svc_address_refused` if the site or a redirect leads to a forbidden address. Throws if `signal` aborts the check.
   */
  async check(siteId: number, signal?: AbortSignal): Promise<ReachabilityResult> {
    const { target } = await this.#deps.links.access(siteId);
    const rules = this.#deps.rules();
    const { status, elapsedMs } = await this.#requestPage(target, siteId, { ...rules, signal });
    const reachable = isReachableStatus(status, rules);
    if (reachable) this.#deps.onReachable?.(siteId);
    for (const listener of this.#listeners) await listener(siteId, status);
    return {
      siteId,
      siteUrl: target.url,
      reachable,
      httpStatus: status,
      responseTimeMs: Math.max(0, Math.round(elapsedMs)),
    };
  }

  /**
   * Requests the home page as WordPress sends it: a random query keeps page caches from responding. The status is 0
   * without a response. Throws like `check`, and also if the site is not connected. Informs no listener.
   */
  async uncachedHomePage(siteId: number, method: MonitorMethod): Promise<UncachedStatus> {
    const { target } = await this.#connected(siteId);
    const url = new URL(target.url);
    url.searchParams.set('sitefleet-check', randomBytes(8).toString('hex'));
    const rules = { ...this.#deps.rules(), method };
    const admit = () => this.#connected(siteId);
    const page = { ...target, url: url.href };
    let answer = await this.#requestPage(page, siteId, { ...rules, admit });
    // A proxy may have removed `Retry-After`. Then only the body distinguishes the maintenance mode from a failure.
    if (answer.status === 503 && !answer.isTemporary && method === 'head')
      answer = await this.#requestPage(page, siteId, { ...rules, method: 'get', admit });
    const { status, isTemporary } = answer;
    if (isReachableStatus(status, rules)) this.#deps.onReachable?.(siteId);
    return { status, isTemporary };
  }

  /**
   * Sends an unknown action to admin-ajax.php. It has no signature, so the child plugin ignores it. The status is 0
   * without a response. Throws like `uncachedHomePage`, and informs no listener.
   */
  async unknownAction(siteId: number): Promise<UncachedStatus & { body: string }> {
    const { target } = await this.#connected(siteId);
    const url = new URL('wp-admin/admin-ajax.php', target.url.endsWith('/') ? target.url : `${target.url}/`).href;
    const form = { action: `sitefleet-check-${randomBytes(8).toString('hex')}` };
    const { deadlineMs } = this.#deps.rules();
    const admit = () => this.#connected(siteId);
    return this.#requestPage({ ...target, url }, siteId, { method: 'post', deadlineMs, form, admit });
  }

  /**
   * Requests the home page and the pages at the paths `known`, with a random query against page caches. If `known` is
   * null, requests up to 5 pages that the home page links to. Throws like `uncachedHomePage`, and informs no listener.
   */
  async pages(siteId: number, known: readonly string[] | null): Promise<PageReading[]> {
    const home = await this.#readPage(siteId, '');
    const paths = known ?? linkedPaths(home.html, home.siteUrl, MAX_LINKED_PAGES);
    const readings = [home.reading];
    for (const path of paths) readings.push((await this.#readPage(siteId, path)).reading);
    return readings;
  }

  async #readPage(siteId: number, path: string): Promise<{ reading: PageReading; html: string; siteUrl: string }> {
    const { target } = await this.#connected(siteId);
    const url = new URL(path.slice(1), target.url.endsWith('/') ? target.url : `${target.url}/`);
    url.searchParams.set('sitefleet-check', randomBytes(8).toString('hex'));
    const { deadlineMs } = this.#deps.rules();
    const admit = () => this.#connected(siteId);
    const request = { method: 'get', deadlineMs, maxTextBytes: MAX_PAGE_BYTES, admit } as const;
    const { status, isTemporary, body: html } = await this.#requestPage({ ...target, url: url.href }, siteId, request);
    const length = Buffer.byteLength(html);
    const reading = { path, status, length, hasCriticalError: hasCriticalError(html), isTemporary };
    return { reading, html, siteUrl: target.url };
  }

  /**
   * Returns the fatal error of the home page, if WordPress describes one to a client that asks for JSON. Throws like
   * `uncachedHomePage`, and informs no listener.
   */
  async pageError(siteId: number): Promise<DescribedError | null> {
    const { target } = await this.#connected(siteId);
    const url = new URL(target.url);
    url.searchParams.set('sitefleet-check', randomBytes(8).toString('hex'));
    const { deadlineMs } = this.#deps.rules();
    const request = { method: 'get', deadlineMs, accept: 'application/json', maxTextBytes: MAX_ERROR_BYTES } as const;
    const admit = () => this.#connected(siteId);
    const { status, body } = await this.#requestPage({ ...target, url: url.href }, siteId, { ...request, admit });
    return status >= 500 ? describedError(body) : null;
  }

  #connected(siteId: number): ReturnType<ChildLinkResolver['access']> {
    return this.#deps.links.access(siteId, refuseUnlessConnected);
  }

  async #requestPage(
    target: HomePageTarget,
    siteId: number,
    { admit, maxTextBytes = MAX_TEXT_BYTES, ...request }: PageRequest,
  ): Promise<PageAnswer> {
    let began = performance.now();
    const work = async (): Promise<PageAnswer> => {
      await admit?.();
      began = performance.now();
      const { status, body, retryAfter, elapsedMs } = await requestPageAsVisitor(this.#deps.outbound, {
        ...request,
        target,
      });
      const isTemporary = isTemporaryResponse(status, retryAfter, body.toString('utf8', 0, MAX_ERROR_BYTES));
      return { status, body: body.toString('utf8', 0, maxTextBytes), isTemporary, elapsedMs };
    };
    try {
      return await this.#deps.limit({ id: siteId, url: target.url }, work, request.signal);
    } catch (error) {
      if (error instanceof OutboundError && error.fault !== 'aborted') {
        const status = statusOfUnreadableResponse(error) ?? 0;
        return {
          ...{ status, body: '', elapsedMs: error.elapsedMs },
          isTemporary: isTemporaryResponse(status, undefined, ''),
        };
      }
      // After a redirect to an invalid URL, a visitor gets no page, so the status is 0.
      if (error instanceof InvalidError && error.code === 'svc_invalid_url')
        return { status: 0, body: '', isTemporary: false, elapsedMs: performance.now() - began };
      throw error;
    }
  }
}

/** Default of `maxTextBytes`, for the short text that `unknownAction` returns. */
const MAX_TEXT_BYTES = 64;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const MAX_LINKED_PAGES = 5;

/** Error of PHP, as WordPress describes it. Untrusted. */
export interface DescribedError {
  message: string;
  file: string | null;
  line: number | null;
}

function describedError(body: string): DescribedError | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  const error = fieldOf(fieldOf(value, 'data'), 'error');
  const [message, file, line] = [fieldOf(error, 'message'), fieldOf(error, 'file'), fieldOf(error, 'line')];
  if (typeof message !== 'string') return null;
  return {
    message: message.split(/\s*Stack trace:/, 1)[0] ?? '',
    file: typeof file === 'string' ? file : null,
    line: typeof line === 'number' && Number.isSafeInteger(line) && line >= 0 ? line : null,
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const isReachableStatus = (status: number, { acceptedStatuses }: ReachabilityRules): boolean =>
  status > 0 && (status < 500 || acceptedStatuses.includes(status));
