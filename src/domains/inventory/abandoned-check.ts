import type { Knex } from 'knex';
import type { AbandonedItem, ChildLink, InventoryCalls } from '../../connector/child-site.ts';
import type { Schedule, Timing } from '../../platform/part.ts';
import { asWritten, jobKind, noInput, type JobKind, type NoInput, type Queue } from '../../queue/index.ts';
import type { SiteCalls, SiteList, SyncService } from '../sites/index.ts';
import { abandonedSection, canonicalAbandoned } from './abandoned-section.ts';
import { InventoryRepository } from './inventory-repository.ts';

/** Number of items that a child plugin looks up per call, so that a call does not time out. */
const LOOKED_UP_AT_ONCE = 10;
/**
 * Maximum number of calls per kind and site in one run. The child plugin continues with the other items in the next
 * run.
 */
const MAX_CALLS = 20;

/** `abandoned` is the number of abandoned plugins and themes. */
export interface AbandonedFound {
  id: number;
  url: string;
  abandoned: number;
}

export const abandonedFound = asWritten<AbandonedFound>();

export interface AbandonedCheckParts {
  knex: Knex;
  child: InventoryCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'storeSection'>;
  list: SiteList;
  queue: Queue;
  timing: () => Timing;
}

/**
 * Makes sites look up which plugins and themes their authors have abandoned. A child plugin does this by itself, ten
 * items at a time, but only when WP-Cron runs, and WP-Cron does not run on a site without visitors. A sync reads the
 * results.
 */
export class AbandonedCheck {
  readonly #parts: AbandonedCheckParts;

  constructor(parts: AbandonedCheckParts) {
    this.#parts = parts;
  }

  readonly job: JobKind<NoInput, AbandonedFound> = jobKind({
    name: 'check-abandoned',
    about: 'site',
    input: noInput,
    result: abandonedFound,
    whenCancelled: 'abort',
    perform: ({ subject, signal }) => this.#check(subject, signal),
  });

  readonly schedule: Schedule = {
    name: 'abandoned-check',
    description: 'Has every connected site look up which plugins and themes have had no update for long.',
    timing: () => this.#parts.timing(),
    begin: async ({ scope, requestedBy }) => {
      const sites = await this.#parts.list.within(scope.trx).all({ status: 'connected' });
      const items = sites.map(({ id }) => ({ siteId: id, identifier: id }));
      return this.#parts.queue.enqueueIfAny(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  #check(siteId: number, signal: AbortSignal): Promise<AbandonedFound> {
    const { calls, sync } = this.#parts;
    const look = async (
      link: ChildLink,
      site: { id: number; url: string; urlKey: string },
    ): Promise<AbandonedFound> => {
      const items = canonicalAbandoned([
        ...(await this.#lookUp(link, siteId, 'plugin')),
        ...(await this.#lookUp(link, siteId, 'theme')),
      ]);
      await sync.storeSection(site, abandonedSection, { kinds: ['plugin', 'theme'], items });
      return { id: site.id, url: site.url, abandoned: items.length };
    };
    return calls.run(siteId, look, { oneOfMany: true, signal });
  }

  /** Makes one call per ten items. The last response contains the results of all items. */
  async #lookUp(link: ChildLink, siteId: number, kind: AbandonedItem['kind']): Promise<AbandonedItem[]> {
    const installed = await new InventoryRepository(this.#parts.knex).installed(siteId, kind);
    const wanted = Math.min(Math.ceil(installed.size / LOOKED_UP_AT_ONCE), MAX_CALLS);
    let abandoned = await this.#parts.child.checkAbandoned(link, kind);
    for (let call = 1; call < wanted; call++) abandoned = await this.#parts.child.checkAbandoned(link, kind);
    return abandoned;
  }
}
