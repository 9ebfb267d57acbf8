import type { Knex } from 'knex';
import { isLimited } from '../../shared/site-scope.ts';
import { readCountedPage } from '../../db/counted-page.ts';
import { RevisionCache } from '../../db/revisions.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { readSiteNames } from '../sites/index.ts';
import { ALL_ITEMS_SLUG, type IgnorableType } from './update.ts';
import { filterUpdates, type UpdateFilter } from './update-filter.ts';

export interface IgnoredFilter extends UpdateFilter {
  types: readonly IgnorableType[];
}

export interface IgnoredUpdate {
  siteId: number;
  siteUrl: string;
  siteName: string;
  type: IgnorableType;
  slug: string;
  name: string;
}

export interface SiteIgnoreRules {
  /** Types of which every item is ignored. */
  whole: Set<IgnorableType>;
  plugin: string[];
  theme: string[];
}

export const noIgnoreRules = (): SiteIgnoreRules => ({ whole: new Set(), plugin: [], theme: [] });

interface IgnoredRow {
  site_id: number;
  type: IgnorableType;
  slug: string;
  name: string;
}

const ORDER = ['site_key', 'type', 'slug'].map((column) => `ignored_updates.${column}`);
const COLUMNS = ['site_id', 'type', 'slug', 'name'].map((column) => `ignored_updates.${column}`);

export class IgnoredUpdatesReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'updates');
  }

  async page(filter: IgnoredFilter, request: PageRequest): Promise<Page<IgnoredUpdate>> {
    const { scope, types, siteIds, exceptSiteIds, search } = filter;
    // The sites of a limited scope can change without a new `updates` revision, so their total is not cached.
    const isNarrow = isLimited(scope) || (siteIds ?? exceptSiteIds ?? search) !== undefined;
    const key = [...types].sort().join();
    return readCountedPage(
      {
        chosen: () => this.#chosen(filter),
        orderBy: ORDER,
        columns: COLUMNS,
        toItems: (rows: IgnoredRow[]) => this.#withSites(rows),
        total: isNarrow ? undefined : (count) => this.#totals.get(key, count),
        isLong: isNarrow,
      },
      request,
    );
  }

  async ofSites(siteIds: readonly number[]): Promise<Map<number, SiteIgnoreRules>> {
    const rows = await this.#knex('ignored_updates')
      .whereIn('site_id', [...siteIds])
      .orderBy('slug')
      .select<Pick<IgnoredRow, 'site_id' | 'type' | 'slug'>[]>('site_id', 'type', 'slug');
    const rules = new Map(siteIds.map((id): [number, SiteIgnoreRules] => [id, noIgnoreRules()]));
    for (const { site_id, type, slug } of rows) {
      const ofSite = rules.get(site_id);
      if (slug === ALL_ITEMS_SLUG || type === 'core') ofSite?.whole.add(type);
      else ofSite?.[type].push(slug);
    }
    return rules;
  }

  async #withSites(rows: readonly IgnoredRow[]): Promise<IgnoredUpdate[]> {
    if (rows.length === 0) return [];
    const sites = await readSiteNames(
      this.#knex,
      rows.map(({ site_id }) => site_id),
    );
    return rows.flatMap(({ site_id, type, slug, name }) => {
      const site = sites.get(site_id);
      return site ? [{ siteId: site_id, siteUrl: site.url, siteName: site.name, type, slug, name }] : [];
    });
  }

  #chosen({ types, ...search }: IgnoredFilter): Knex.QueryBuilder {
    const query = filterUpdates(this.#knex, 'ignored_updates', search);
    return types.length > 0 ? query.whereIn('ignored_updates.type', types) : query;
  }
}
