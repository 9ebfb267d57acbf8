import { setMaxListeners } from 'node:events';
import type { ChildLink } from '../../connector/child-site.ts';
import type { CallWait } from '../../shared/call-wait.ts';
import { SECOND } from '../../shared/clock.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import type { CallOptions, SiteWithUrlKey, ResolvedSite, SiteCalls } from '../sites/index.ts';

export type SiteOutcome<T> = { site: SiteWithUrlKey; value: T } | { site: SiteWithUrlKey; error: ItemError };

/**
 * Yields outcomes in the order in which they arrive. No further site is called while the consumer does not read, or
 * while `full` returns true because the consumer has too many unprocessed outcomes.
 */
export type OutcomeStream<T> = (full?: () => boolean) => AsyncGenerator<SiteOutcome<T>, void>;

export interface FanOutDeps {
  calls: SiteCalls;
  deadlineMs?: number | undefined;
}

const DEADLINE = 60 * SECOND;
/**
 * Maximum number of sites in progress, which limits the memory for a fleet of any size. It exceeds the number of
 * concurrent calls of the connector: if an IP address has its maximum of calls, the connector can call other sites.
 */
const WINDOW = 256;

/**
 * Calls many sites concurrently and yields the outcomes in the order of the responses. At the deadline, calls without a
 * response are aborted and reported as errors. Running calls are also aborted if the consumer stops reading.
 */
export class FanOut {
  readonly #calls: SiteCalls;
  readonly #deadlineMs: number;

  constructor({ calls, deadlineMs = DEADLINE }: FanOutDeps) {
    this.#calls = calls;
    this.#deadlineMs = deadlineMs;
  }

  callAll<T>(sites: readonly ResolvedSite[], ask: (link: ChildLink) => Promise<T>, wait?: CallWait): OutcomeStream<T> {
    const deadlineMs = Math.min(this.#deadlineMs, wait?.deadlineMs ?? Infinity);
    return (full = () => false) => this.#outcomes(sites, ask, full, deadlineMs);
  }

  async *#outcomes<T>(
    sites: readonly ResolvedSite[],
    ask: (link: ChildLink) => Promise<T>,
    full: () => boolean,
    deadlineMs: number,
  ): AsyncGenerator<SiteOutcome<T>, void> {
    const waiting = new Map(sites.map((named) => [named.site.id, named]));
    const upcoming = sites.values();
    const ready: SiteOutcome<T>[] = [];
    let wake = (): void => undefined;
    const over = new AbortController();
    const { signal } = over;
    setMaxListeners(0, signal);
    let underWay = 0;
    const timer = setTimeout(() => {
      over.abort();
      wake();
    }, deadlineMs);
    const begin = (): boolean => {
      const { value: named } = upcoming.next();
      if (!named) return false;
      underWay++;
      void this.#callOne(named, ask, { oneOfMany: sites.length > 1, reads: true, signal }).then((outcome) => {
        // A late response is ignored, because the site was already reported as an error.
        if (signal.aborted || !waiting.delete(named.site.id)) return;
        ready.push(outcome);
        wake();
      });
      return true;
    };
    const refill = (): void => {
      while (!signal.aborted && underWay < WINDOW && (underWay === 0 || !full()) && begin());
    };
    try {
      refill();
      while (waiting.size > 0 || ready.length > 0) {
        const outcome = ready.shift();
        if (outcome) {
          yield outcome;
          underWay--;
          refill();
        } else if (signal.aborted) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      for (const named of waiting.values()) yield { site: named.site, error: unansweredError(named, deadlineMs) };
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  async #callOne<T>(
    { identifier, site }: ResolvedSite,
    ask: (link: ChildLink) => Promise<T>,
    options: CallOptions,
  ): Promise<SiteOutcome<T>> {
    try {
      return { site, value: await this.#calls.run(site.id, ask, options) };
    } catch (error) {
      return { site, error: itemErrorOf(identifier, error, { site_id: site.id, site_url: site.url }) };
    }
  }
}

function unansweredError({ identifier, site }: ResolvedSite, deadlineMs: number): ItemError {
  const seconds = Math.ceil(deadlineMs / SECOND);
  const message = `The site did not answer within ${seconds} seconds, the time limit of a call across sites.`;
  return { identifier, code: 'svc_site_unreachable', message, site_id: site.id, site_url: site.url };
}
