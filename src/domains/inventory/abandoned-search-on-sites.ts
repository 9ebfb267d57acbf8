import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import type { AbandonedItem, ChildLink, InventoryCalls } from '../../connector/child-site.ts';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { SiteCalls, SiteList, SyncService } from '../sites/index.ts';
import { abandonedSection, normalizeAbandonedItems } from './abandoned-section.ts';
import { InventoryRepository } from './inventory-repository.ts';

/**
 * Number of items that a child plugin looks up per call, so that a call does not time out. The child plugin determines
 * it. A higher value here would only make too few calls.
 */
const CHILD_BATCH_SIZE = 10;
/**
 * Maximum number of calls per kind and site in one run. The child plugin continues with the other items in the next
 * run.
 */
const MAX_CALLS = 20;

export interface AbandonedSearchResult {
  id: number;
  url: string;
  abandoned: number;
}

export const parseAbandonedSearchResult = createUnvalidatedParser<AbandonedSearchResult>();

export interface AbandonedSearchOnSitesDeps {
  knex: Knex;
  child: InventoryCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'storeSection'>;
  list: SiteList;
  queue: Queue;
  timing: () => CronTiming;
}

/**
 * Makes sites search for plugins and themes that their authors have abandoned, with one call per ten items, and stores
 * the results. A child plugin also searches by itself, but only when WP-Cron runs, which it does not on a site without
 * visitors. A sync reads what that search has found.
 */
export class AbandonedSearchOnSites {
  readonly #deps: AbandonedSearchOnSitesDeps;

  constructor(deps: AbandonedSearchOnSitesDeps) {
    this.#deps = deps;
  }

  readonly job: JobKind<NoInput, AbandonedSearchResult> = defineJobKind({
    name: 'check-abandoned',
    about: 'site',
    input: noInput,
    result: parseAbandonedSearchResult,
    whenCancelled: 'abort',
    retryPermission: null,
    perform: ({ subject, signal }) => this.#check(subject, signal),
  });

  readonly schedule: Schedule = {
    name: 'abandoned-check',
    description: 'Starts the search for abandoned plugins and themes on every connected site.',
    timing: () => this.#deps.timing(),
    begin: async ({ scope, requestedBy }) => {
      const sites = await this.#deps.list.within(scope.trx).all(ALL_SITES, { status: 'connected' });
      const items = sites.map(({ id }) => ({ siteId: id, identifier: id }));
      return this.#deps.queue.enqueueIfAny(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  #check(siteId: number, signal: AbortSignal): Promise<AbandonedSearchResult> {
    const { calls, sync } = this.#deps;
    const look = async (
      link: ChildLink,
      site: { id: number; url: string; urlKey: string },
    ): Promise<AbandonedSearchResult> => {
      const items = normalizeAbandonedItems([
        ...(await this.#lookUp(link, siteId, 'plugin')),
        ...(await this.#lookUp(link, siteId, 'theme')),
      ]);
      await sync.storeSection(site, abandonedSection, { kinds: ['plugin', 'theme'], items }, link.turn?.number);
      return { id: site.id, url: site.url, abandoned: items.length };
    };
    return calls.run(siteId, look, { oneOfMany: true, signal });
  }

  /** Makes one call per ten items. The last response contains the results of all items. */
  async #lookUp(link: ChildLink, siteId: number, kind: AbandonedItem['kind']): Promise<AbandonedItem[]> {
    const installed = await new InventoryRepository(this.#deps.knex).installed(siteId, kind);
    const wanted = Math.min(Math.ceil(installed.size / CHILD_BATCH_SIZE), MAX_CALLS);
    let abandoned = await this.#deps.child.checkAbandoned(link, kind);
    for (let call = 1; call < wanted; call++) abandoned = await this.#deps.child.checkAbandoned(link, kind);
    return abandoned;
  }
}
