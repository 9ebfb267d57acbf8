import type { ChildLink } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import { itemErrorOf, type ItemError } from '../../shared/errors.ts';
import type { SiteOutcome } from '../fleet-reads/index.ts';
import type { KeyedSite, SiteCalls } from '../sites/index.ts';

export interface SiteChange<T> {
  site: KeyedSite;
  run: (link: ChildLink) => Promise<T>;
}

/** Changes under way at a time; more than the connector makes at once, so that it can pass over an address that is busy. */
const WINDOW = 256;

/**
 * Changes many sites side by side. Whatever has begun is waited for, so that every outcome is the true one; after the deadline
 * nothing more begins.
 */
export class SiteChanges {
  readonly #calls: SiteCalls;
  readonly #deadlineMs: number;

  constructor({ calls, deadlineMs }: { calls: SiteCalls; deadlineMs: number }) {
    this.#calls = calls;
    this.#deadlineMs = deadlineMs;
  }

  /** One outcome for each, in the order given. */
  async all<T>(changes: readonly SiteChange<T>[]): Promise<SiteOutcome<T>[]> {
    const outcomes: SiteOutcome<T>[] = [];
    const upcoming = changes.entries();
    let late = false;
    const timer = setTimeout(() => (late = true), this.#deadlineMs);
    const work = async (): Promise<void> => {
      for (const [at, change] of upcoming)
        outcomes[at] = late ? { site: change.site, error: this.#unbegun(change.site) } : await this.#one(change);
    };
    try {
      await Promise.all(Array.from({ length: Math.min(WINDOW, changes.length) }, work));
    } finally {
      clearTimeout(timer);
    }
    return outcomes;
  }

  async #one<T>({ site, run }: SiteChange<T>): Promise<SiteOutcome<T>> {
    try {
      return { site, value: await this.#calls.run(site.id, run) };
    } catch (error) {
      return { site, error: itemErrorOf(site.id, error, { site_id: site.id, site_url: site.url }) };
    }
  }

  #unbegun({ id, url }: KeyedSite): ItemError {
    const seconds = Math.ceil(this.#deadlineMs / SECOND);
    const message = `The call took more than ${seconds} seconds before this site was asked; nothing was changed on it.`;
    return { identifier: id, code: 'svc_cancelled', message, site_id: id, site_url: url };
  }
}
