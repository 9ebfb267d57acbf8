import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
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

export class IgnoredUpdatesReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'updates');
  }

  async page(filter: IgnoredFilter, request: PageRequest): Promise<Page<IgnoredUpdate>> {
    const { types, siteIds, exceptSiteIds, search } = filter;
    const count = (): Promise<number> => countRows(this.#chosen(filter));
    const narrow = siteIds ?? exceptSiteIds ?? search;
    const total = narrow !== undefined ? await count() : await this.#totals.get([...types].sort().join(), count);
    const rows = await this.#chosen(filter)
      .orderBy(['site_key', 'type', 'slug'])
      .offset(offsetOf(request))
      .limit(request.perPage)
      .select<IgnoredRow[]>('site_id', 'type', 'slug', 'name');
    return { items: await this.#withSites(rows), page: request.page, perPage: request.perPage, total };
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
    const sites = await this.#knex('sites')
      .whereIn('id', [...new Set(rows.map(({ site_id }) => site_id))])
      .select<{ id: number; url: string; name: string }[]>('id', 'url', 'name');
    const byId = new Map(sites.map((site) => [site.id, site]));
    return rows.flatMap(({ site_id, type, slug, name }) => {
      const site = byId.get(site_id);
      return site ? [{ siteId: site_id, siteUrl: site.url, siteName: site.name, type, slug, name }] : [];
    });
  }

  #chosen({ types, ...search }: IgnoredFilter): Knex.QueryBuilder {
    const query = filterUpdates(this.#knex('ignored_updates'), search);
    return types.length > 0 ? query.whereIn('type', types) : query;
  }
}
