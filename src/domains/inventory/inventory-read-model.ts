import { groupBy } from '../../shared/group-by.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { Knex } from 'knex';
import { FEW_SITES, longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { searchKeyOf } from '../../shared/text.ts';
import type { ItemKind } from './inventory.ts';

export interface ItemFilter {
  status: 'all' | 'active' | 'inactive';
  hasUpdate: boolean;
  search?: string;
}

export interface PluginFilter extends ItemFilter {
  /** True: only must-use plugins. False: only the other plugins. Missing: both. */
  mustUse?: boolean;
}

export interface ListedItem {
  slug: string;
  name: string;
  version: string;
  active: boolean;
  /** null if there is no update, or if the update is ignored. */
  updateVersion: string | null;
}

export interface ListedPlugin extends ListedItem {
  mustUse: boolean;
}

export interface SiteThemes {
  /** null before the first sync. */
  activeTheme: string | null;
  themes: ListedItem[];
}

export interface SiteInventory extends SiteThemes {
  plugins: ListedPlugin[];
}

export interface AbandonedFilter {
  scope: SiteScope;
  kind: ItemKind;
  siteId?: number;
}

export interface AbandonedItemOnSite {
  siteId: number;
  siteUrl: string;
  slug: string;
  name: string;
  version: string;
  lastUpdatedAt: number;
}

export interface AbandonedItem {
  kind: ItemKind;
  slug: string;
  name: string;
  version: string;
  lastUpdatedAt: number;
}
type AbandonedItemRow = Omit<AbandonedItem, 'lastUpdatedAt'> & { site_id: number; last_updated_at: number | string };

interface ItemRow {
  site_id: number;
  slug: string;
  name: string;
  version: string;
  active: number;
  update_version: string | null;
}
type ListedPluginRow = ItemRow & { must_use: number };

interface SiteItemKey {
  site_id: number;
  slug: string;
}

interface AbandonedItemOnSiteRow extends SiteItemKey {
  site_url: string;
  name: string;
  version: string;
  last_updated_at: number;
}

export class InventoryReadModel {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #abandonedAfterDays: () => number;
  readonly #totals: RevisionCache;

  constructor(knex: Knex, clock: Clock, abandonedAfterDays: () => number) {
    this.#knex = knex;
    this.#clock = clock;
    this.#abandonedAfterDays = abandonedAfterDays;
    this.#totals = new RevisionCache(knex, 'abandoned');
  }

  async plugins(siteId: number, { mustUse, ...filter }: PluginFilter): Promise<ListedPlugin[]> {
    const plugins = (await this.#pluginRows([siteId])).map(toPlugin).filter(createItemMatcher(filter));
    return mustUse === undefined ? plugins : plugins.filter((plugin) => plugin.mustUse === mustUse);
  }

  async themes(siteId: number, filter: ItemFilter): Promise<SiteThemes> {
    const { activeTheme, themes } = themeList(await this.#themeRows([siteId]));
    return { activeTheme, themes: themes.filter(createItemMatcher(filter)) };
  }

  async ofSites(siteIds: readonly number[]): Promise<Map<number, SiteInventory>> {
    const [plugins, themes] = await Promise.all([this.#pluginRows(siteIds), this.#themeRows(siteIds)]);
    const [pluginsOf, themesOf] = [groupBySite(plugins), groupBySite(themes)];
    return new Map(
      siteIds.map((id) => [
        id,
        { plugins: (pluginsOf.get(id) ?? []).map(toPlugin), ...themeList(themesOf.get(id) ?? []) },
      ]),
    );
  }

  /**
   * Lists abandoned items by the address of the site, then by slug. An item becomes abandoned at the beginning of a UTC
   * day, so a cached total is valid until the end of the day.
   */
  async abandoned(filter: AbandonedFilter, request: PageRequest): Promise<Page<AbandonedItemOnSite>> {
    const today = Math.floor(this.#clock.now() / DAY);
    const newest = today - this.#abandonedAfterDays();
    const chosen = (): Knex.QueryBuilder => {
      const query = this.#knex('site_abandoned')
        .where({ kind: filter.kind })
        .where('last_updated_at', '<', (newest + 1) * DAY);
      whereInScope(this.#knex, query, filter.scope, 'site_abandoned.site_id');
      return filter.siteId === undefined ? query : query.where({ site_id: filter.siteId });
    };
    const key = JSON.stringify([filter.kind, filter.siteId ?? null, newest]);
    const count = (): Promise<number> => countRows(longRead(chosen()));
    // The sites of a limited scope can change without a new `abandoned` revision, so their total is not cached.
    const total = isLimited(filter.scope) ? await count() : await this.#totals.get(key, count);
    const keys = await chosen()
      // The database need not sort: an index has the order for all sites, and the primary key that within one site.
      .orderBy(filter.siteId === undefined ? ['site_key', 'slug'] : ['slug'])
      .modify(limitToPage, request)
      .select<SiteItemKey[]>('site_id', 'slug');
    return { items: await this.#byKeys(filter.kind, keys), page: request.page, perPage: request.perPage, total };
  }

  async abandonedOf(siteIds: readonly number[]): Promise<Map<number, AbandonedItem[]>> {
    const newest = Math.floor(this.#clock.now() / DAY) - this.#abandonedAfterDays();
    const rows = await this.#knex('site_abandoned')
      .whereIn('site_id', [...siteIds])
      .where('last_updated_at', '<', (newest + 1) * DAY)
      .orderBy(['last_updated_at', 'kind', 'slug'])
      .select<AbandonedItemRow[]>('site_id', 'kind', 'slug', 'name', 'version', 'last_updated_at');
    return new Map(
      [...groupBySite(rows)].map(([siteId, items]) => [
        siteId,
        items.map(({ kind, slug, name, version, last_updated_at: at }) => ({
          ...{ kind, slug, name, version },
          lastUpdatedAt: Number(at),
        })),
      ]),
    );
  }

  /**
   * Reads the rows of a page. The keys are read from an index alone, so that skipping to a late page reads no rows. The
   * rows need a second statement: if both were one, SQLite would scan all items of the kind.
   */
  async #byKeys(kind: ItemKind, keys: readonly SiteItemKey[]): Promise<AbandonedItemOnSite[]> {
    if (keys.length === 0) return [];
    const rows = await this.#knex('site_abandoned')
      .join('sites', 'sites.id', 'site_abandoned.site_id')
      .whereIn(
        ['site_abandoned.site_id', 'site_abandoned.kind', 'site_abandoned.slug'],
        keys.map(({ site_id, slug }) => [site_id, kind, slug]),
      )
      .select<AbandonedItemOnSiteRow[]>(
        'site_abandoned.site_id',
        'sites.url as site_url',
        'site_abandoned.slug',
        'site_abandoned.name',
        'site_abandoned.version',
        'site_abandoned.last_updated_at',
      );
    const itemKeyText = ({ site_id, slug }: SiteItemKey): string => `${site_id} ${slug}`;
    const byKey = new Map(rows.map((row) => [itemKeyText(row), toAbandonedItemOnSite(row)]));
    return keys.flatMap((key) => byKey.get(itemKeyText(key)) ?? []);
  }

  #pluginRows(siteIds: readonly number[]): Promise<ListedPluginRow[]> {
    return this.#items('plugin', 'site_plugins', siteIds).select<ListedPluginRow[]>(...ITEM_COLUMNS, 'item.must_use');
  }

  #themeRows(siteIds: readonly number[]): Promise<ItemRow[]> {
    return this.#items('theme', 'site_themes', siteIds).select<ItemRow[]>(...ITEM_COLUMNS);
  }

  #items(kind: ItemKind, table: string, siteIds: readonly number[]): Knex.QueryBuilder {
    return longRead(this.#knex(`${table} as item`), siteIds.length > FEW_SITES)
      .leftJoin('site_updates', (on) =>
        on
          .on('site_updates.site_id', 'item.site_id')
          .andOnVal('site_updates.type', kind)
          .andOn('site_updates.slug', 'item.slug')
          .andOnVal('site_updates.ignored', 0),
      )
      .whereIn('item.site_id', [...siteIds])
      .orderBy('item.slug');
  }
}

const ITEM_COLUMNS = [
  'item.site_id',
  'item.slug',
  'item.name',
  'item.version',
  'item.active',
  'site_updates.new_version as update_version',
] as const;

const groupBySite = <R extends { site_id: number }>(rows: readonly R[]): Map<number, R[]> =>
  groupBy(rows, (row) => row.site_id);

const themeList = (rows: readonly ItemRow[]): SiteThemes => ({
  activeTheme: rows.find(({ active }) => active === 1)?.slug ?? null,
  themes: rows.map(toListed),
});

const toPlugin = (row: ListedPluginRow): ListedPlugin => ({ ...toListed(row), mustUse: row.must_use === 1 });

const toListed = (row: ItemRow): ListedItem => ({
  slug: row.slug,
  name: row.name,
  version: row.version,
  active: row.active === 1,
  updateVersion: row.update_version,
});

const toAbandonedItemOnSite = (row: AbandonedItemOnSiteRow): AbandonedItemOnSite => ({
  siteId: row.site_id,
  siteUrl: row.site_url,
  slug: row.slug,
  name: row.name,
  version: row.version,
  lastUpdatedAt: row.last_updated_at,
});

function createItemMatcher({ status, hasUpdate, search = '' }: ItemFilter): (item: ListedItem) => boolean {
  const wanted = searchKeyOf(search);
  return ({ active, updateVersion, name, slug }) =>
    (status === 'all' || active === (status === 'active')) &&
    (!hasUpdate || updateVersion !== null) &&
    (searchKeyOf(name).includes(wanted) || slug.toLowerCase().includes(wanted));
}
