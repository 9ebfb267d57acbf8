import { setMaxListeners } from 'node:events';
import type { ChildLink } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import { itemErrorOf, type ItemError } from '../../shared/errors.ts';
import type { CallOptions, KeyedSite, ResolvedSite, SiteCalls } from '../sites/index.ts';

/** What came of one site. */
export type SiteOutcome<T> = { site: KeyedSite; value: T } | { site: KeyedSite; error: ItemError };

/**
 * The outcomes of a call in the order in which they come. No further site is asked while nobody takes those that are
 * there, or while `full` says that too many wait with whoever takes them.
 */
export type Outcomes<T> = (full?: () => boolean) => AsyncGenerator<SiteOutcome<T>, void>;

export interface FanOutParts {
  calls: SiteCalls;
  /** For the whole call; 60 s by default. */
  deadlineMs?: number | undefined;
}

const DEADLINE = 60 * SECOND;
/**
 * Sites that are under way at a time. More than the connector calls at once, so that it can pass over an address that
 * is busy; few enough that a fleet of any size takes the same memory.
 */
const WINDOW = 256;

/**
 * Asks many sites side by side, in the order in which they answer. What has no answer by the deadline is an error, and
 * its call is ended; so are the calls under way when whoever takes the outcomes stops.
 */
export class FanOut {
  readonly #calls: SiteCalls;
  readonly #deadlineMs: number;

  constructor({ calls, deadlineMs = DEADLINE }: FanOutParts) {
    this.#calls = calls;
    this.#deadlineMs = deadlineMs;
  }

  /** Nothing is sent before the outcomes are taken. */
  ask<T>(sites: readonly ResolvedSite[], ask: (link: ChildLink) => Promise<T>): Outcomes<T> {
    return (full = () => false) => this.#outcomes(sites, ask, full);
  }

  async *#outcomes<T>(
    sites: readonly ResolvedSite[],
    ask: (link: ChildLink) => Promise<T>,
    full: () => boolean,
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
    }, this.#deadlineMs);
    const begin = (): boolean => {
      const { value: named } = upcoming.next();
      if (!named) return false;
      underWay++;
      void this.#one(named, ask, { oneOfMany: sites.length > 1, reads: true, signal }).then((outcome) => {
        // One that comes too late has been reported as such.
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
      for (const named of waiting.values()) yield { site: named.site, error: this.#unanswered(named) };
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  async #one<T>(
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

  #unanswered({ identifier, site }: ResolvedSite): ItemError {
    const seconds = Math.ceil(this.#deadlineMs / SECOND);
    const message = `No answer came within the ${seconds} seconds that a call across sites may take.`;
    return { identifier, code: 'svc_site_unreachable', message, site_id: site.id, site_url: site.url };
  }
}
