import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { SiteLinks } from '../sites/index.ts';
import type { MonitorMethod } from './monitor-settings.ts';
import { statusOfUnreadable, visit } from './visit.ts';

/** What asking a site's web server found. */
export interface CheckResult {
  siteId: number;
  siteUrl: string;
  /**
   * An answer came whose status is below 500 or one of the accepted ones; `httpStatus` tells a broken site from one
   * that does not answer.
   */
  reachable: boolean;
  /** Of the answer after redirects; 0 without one. */
  httpStatus: number;
  /** How long the answer took; without one, how long was waited. */
  responseTimeMs: number;
}

/** Queues work for a site behind other calls to it, by the limits of the operator, until `signal` ends the wait. */
export type Limit = <T>(site: { id: number; url: string }, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** How sites are checked, as the settings have it at this moment. */
export interface CheckRules {
  method: MonitorMethod;
  /** How long a site may take to answer. */
  deadlineMs: number;
  acceptedStatuses: readonly number[];
}

export interface UptimeCheckParts {
  outbound: Pick<Outbound, 'request'>;
  links: Pick<SiteLinks, 'access'>;
  limit: Limit;
  rules: () => CheckRules;
  /** The web server of this site answers as it should. */
  onReachable?: (siteId: number) => void;
}

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
   * be dialled; a site that does not answer is a result. `signal` ends the check by a throw; without a method that of
   * the settings is used.
   */
  async check(siteId: number, signal?: AbortSignal, method?: MonitorMethod): Promise<CheckResult> {
    const { target } = await this.#parts.links.access(siteId);
    const rules = this.#parts.rules();
    const { status, elapsedMs } = await this.#ask(target, siteId, { ...rules, ...(method && { method }) }, signal);
    const reachable = isReachable(status, rules);
    if (reachable) this.#parts.onReachable?.(siteId);
    for (const listener of this.#listeners) await listener(siteId, status);
    return {
      siteId,
      siteUrl: target.url,
      reachable,
      httpStatus: status,
      responseTimeMs: Math.max(0, Math.round(elapsedMs)),
    };
  }

  async #ask(
    target: Target,
    siteId: number,
    { method, deadlineMs }: CheckRules,
    signal?: AbortSignal,
  ): Promise<Answer> {
    let began = performance.now();
    const work = (): Promise<Answer> => {
      // The wait for a turn is ours, not the site's.
      began = performance.now();
      return visit(this.#parts.outbound, { target, method, deadlineMs, signal });
    };
    try {
      return await this.#parts.limit({ id: siteId, url: target.url }, work, signal);
    } catch (error) {
      if (error instanceof OutboundError && error.fault !== 'aborted')
        return { status: statusOfUnreadable(error) ?? 0, elapsedMs: error.elapsedMs };
      // A redirect to what is no web address: the visitor gets no page.
      if (error instanceof InvalidError && error.code === 'svc_invalid_url')
        return { status: 0, elapsedMs: performance.now() - began };
      throw error;
    }
  }
}

/** 0 stands for no answer. */
const isReachable = (status: number, { acceptedStatuses }: CheckRules): boolean =>
  status > 0 && (status < 500 || acceptedStatuses.includes(status));
