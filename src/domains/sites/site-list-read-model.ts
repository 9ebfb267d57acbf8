import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { orderByOf, orderSqlOf, type OrderedColumn } from '../../db/order-by.ts';
import { listOf, readPrepared } from '../../db/prepared.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { filterKeyOf, isEmptyFilter } from '../../shared/filters.ts';
import type { ListOrder } from '../../shared/list-order.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { SiteWithUrlKey, Site, SiteRecord, SiteStatus } from './site.ts';
import { KEPT_SITES, SiteRecords } from './site-records-read-model.ts';
import { SITE_COLUMNS, SITE_FIELDS, toSite, type ListedSiteRow } from './site-repository.ts';
import { whereInScope } from './site-scope-read-model.ts';
import { whereSiteMatches } from './site-search.ts';

/** Up to this offset, the database skips whole rows. Beyond it, the IDs of a page are read first, from an index. */
const NEAR = 1_000;

/**
 * Maximum number of sites in a limited scope that the database sorts for a page. For more sites, it is faster to read
 * the index of all sites until the page is full, as SQLite does without sorting.
 */
const MOST_SORTED = 5_000;

/** These columns do not count ignored updates. */
const WAITING = 'core_updates + plugin_updates + theme_updates';

interface OrderedPageRequest extends PageRequest {
  order: SiteOrder;
  /** True if the database must sort the sites instead of reading an index in this order. */
  sorts?: boolean;
}

export interface SiteFilter {
  status?: SiteStatus;
  search?: string;
  clientId?: number;
  clientIds?: readonly number[];
  tagIds?: readonly number[];
  /** An empty list does not filter. */
  include?: readonly number[];
  exclude?: readonly number[];
  hasUpdates?: true;
  hasGuardLeft?: true;
}

export type SiteOrder = ListOrder<'url' | 'name' | 'id'>;

const BY_URL: SiteOrder = { by: 'url', direction: 'asc' };
const ORDER_COLUMNS = {
  url: ['sites.url_key'],
  name: ['sites.name_key', 'sites.id'],
  id: ['sites.id'],
} as const;

/**
 * True if a list with this filter may be cached until the `sites` revision changes. Syncs and guard files change what
 * `hasUpdates` and `hasGuardLeft` find without changing that revision.
 */
const isCacheable = (filter: SiteFilter): boolean => !filter.hasUpdates && !filter.hasGuardLeft;

const hasNoFilter = (filter: SiteFilter): boolean => Object.values(filter).every(isEmptyFilter);

const totalKeyOf = (scope: SiteScope, filter: SiteFilter): string => scope.key + filterKeyOf(filter);

/**
 * Lists sites, ordered by URL unless another order is asked for. The number of SQL statements does not depend on the
 * size of the fleet: the IDs of a page come from a covering index, the rows are read by ID, and the total is cached.
 * Whole pages are cached too, because programs request the same pages repeatedly.
 */
export class SiteList {
  readonly #knex: Knex;
  readonly #countsTranslations: () => boolean;
  readonly #totals: RevisionCache;
  readonly #pages: RevisionCache<Page<Site>>;
  readonly #records: SiteRecords;

  /** `countsTranslations` returns true if a site with only translation updates counts as a site with updates. */
  constructor(knex: Knex, countsTranslations: () => boolean) {
    this.#knex = knex;
    this.#countsTranslations = countsTranslations;
    this.#totals = new RevisionCache(knex, 'sites');
    this.#pages = new RevisionCache(knex, 'sites', {
      most: KEPT_SITES,
      weigh: ({ items }) => items.length + 1,
    });
    this.#records = new SiteRecords(knex, countsTranslations);
  }

  within(trx: Knex): SiteList {
    return new SiteList(trx, this.#countsTranslations);
  }

  page(scope: SiteScope, filter: SiteFilter, request: PageRequest, order = BY_URL): Promise<Page<Site>> {
    const read = (): Promise<Page<Site>> => this.#read(scope, filter, { ...request, order });
    const key = JSON.stringify([scope.key, filterKeyOf(filter), request, order.by, order.direction]);
    return isCacheable(filter) ? this.#pages.get(key, read) : read();
  }

  /** Like `page`, with the records of the sites. A page of all sites takes one statement, if the total is cached. */
  async records(
    scope: SiteScope,
    filter: SiteFilter,
    request: PageRequest,
    order = BY_URL,
    options: { withTags?: boolean } = {},
  ): Promise<Page<SiteRecord>> {
    if (!isLimited(scope) && hasNoFilter(filter)) {
      const { page, perPage } = request;
      const place = { orderBy: orderByOf(ORDER_COLUMNS, order), limit: perPage, offset: offsetOf(request) };
      const { records, revision } = await this.#records.page(place, options);
      const total =
        revision === null
          ? await this.count(scope, filter)
          : await this.#totals.getAt(revision, totalKeyOf(scope, filter), () => this.#count(scope, filter));
      return { items: records, page, perPage, total };
    }
    const page = await this.page(scope, filter, request, order);
    const ids = page.items.map(({ id }) => id);
    return { ...page, items: await this.#records.of(ids, options) };
  }

  async #read(scope: SiteScope, filter: SiteFilter, request: OrderedPageRequest): Promise<Page<Site>> {
    const near = offsetOf(request) <= NEAR;
    const counting = this.count(scope, filter);
    const chosen = isLimited(scope) ? { ...request, sorts: (await counting) <= MOST_SORTED } : request;
    const [total, items] = await Promise.all([
      counting,
      near ? this.#rows(scope, filter, chosen) : this.#ids(scope, filter, chosen).then((ids) => this.byIds(ids)),
    ]);
    return { items, page: request.page, perPage: request.perPage, total };
  }

  async all(scope: SiteScope, filter: SiteFilter): Promise<SiteWithUrlKey[]> {
    const rows = await longRead(this.#filtered(scope, filter))
      .orderBy(this.#orderBy(filter, BY_URL))
      .select<ListedSiteRow[]>(...SITE_COLUMNS);
    return rows.map(toSite);
  }

  count(scope: SiteScope, filter: SiteFilter): Promise<number> {
    const count = (): Promise<number> => this.#count(scope, filter);
    return isCacheable(filter) ? this.#totals.get(totalKeyOf(scope, filter), count) : count();
  }

  async #count(scope: SiteScope, filter: SiteFilter): Promise<number> {
    if (!isLimited(scope) && hasNoFilter(filter)) {
      const [row] = await readPrepared<{ n: number | string }>(this.#knex, 'select count(*) as n from sites', []);
      return Number(row?.n ?? 0);
    }
    return countRows(this.#filtered(scope, filter), filter.tagIds?.length ? 'sites.id' : undefined);
  }

  #onPage<Row>(
    scope: SiteScope,
    filter: SiteFilter,
    request: OrderedPageRequest,
    columns: readonly string[],
  ): Promise<Row[]> {
    if (isLimited(scope) || !hasNoFilter(filter)) {
      const rows: Promise<unknown> = this.#filteredPage(scope, filter, request).select(...columns);
      return rows as Promise<Row[]>;
    }
    const sql = `select ${columns.join(', ')} from sites order by ${orderSqlOf(orderByOf(ORDER_COLUMNS, request.order))}`;
    return readPrepared<Row>(this.#knex, `${sql} limit ${Math.trunc(request.perPage)} offset ?`, [offsetOf(request)]);
  }

  #filteredPage(scope: SiteScope, filter: SiteFilter, request: OrderedPageRequest): Knex.QueryBuilder {
    const query = this.#filtered(scope, filter).modify(limitToPage, request);
    const orderBy = this.#orderBy(filter, request.order);
    if (!request.sorts) return query.orderBy(orderBy);
    // No index has the value of `+column`, so SQLite sorts. MariaDB ignores the plus, and sorts few sites by itself.
    for (const { column, order } of orderBy) void query.orderByRaw(`+?? ${order}`, [column]);
    return query;
  }

  async #rows(scope: SiteScope, filter: SiteFilter, request: OrderedPageRequest): Promise<Site[]> {
    const rows = await this.#onPage<ListedSiteRow>(scope, filter, request, SITE_COLUMNS);
    return rows.map(toSite);
  }

  async #ids(scope: SiteScope, filter: SiteFilter, request: OrderedPageRequest): Promise<number[]> {
    const rows = await this.#onPage<{ id: number }>(scope, filter, request, ['sites.id']);
    return rows.map(({ id }) => id);
  }

  async byIds(ids: readonly number[]): Promise<Site[]> {
    if (ids.length === 0) return [];
    const { placeholders, bindings } = listOf(ids);
    const sql = `select ${SITE_FIELDS} from sites where id in (${placeholders})`;
    const rows = await readPrepared<ListedSiteRow>(this.#knex, sql, bindings);
    const byId = new Map(rows.map((row) => [row.id, toSite(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async scopeKey(scope: SiteScope): Promise<string> {
    const ids = await longRead(this.#filtered(scope, {})).orderBy('sites.id').pluck<number[]>('sites.id');
    return ids.join(',');
  }

  async addedAt(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#knex('sites')
      .whereIn('id', ids)
      .select<{ id: number; created_at: number }[]>('id', 'created_at');
    return new Map(rows.map(({ id, created_at }) => [id, Number(created_at)]));
  }

  #orderBy({ tagIds }: SiteFilter, order: SiteOrder): OrderedColumn[] {
    return tagIds?.length === 1 && order.by === 'url'
      ? [{ column: 'site_tags.site_key', order: order.direction }]
      : orderByOf(ORDER_COLUMNS, order);
  }

  #filtered(
    scope: SiteScope,
    { status, search, clientId, clientIds, tagIds, include, exclude, hasUpdates, hasGuardLeft }: SiteFilter,
  ): Knex.QueryBuilder {
    const query = this.#knex('sites');
    whereInScope(this.#knex, query, scope);
    if (include?.length) void query.whereIn('sites.id', include);
    if (exclude?.length) void query.whereNotIn('sites.id', exclude);
    if (clientIds?.length) void query.whereIn('sites.client_id', clientIds);
    if (status) void query.where('sites.status', status);
    if (clientId !== undefined) void query.where('sites.client_id', clientId);
    if (tagIds?.length === 1)
      void query.join('site_tags', 'site_tags.site_id', 'sites.id').where('site_tags.tag_id', tagIds[0] as number);
    else if (tagIds?.length)
      void query.whereIn('sites.id', this.#knex('site_tags').whereIn('tag_id', tagIds).select('site_id'));
    if (hasUpdates) {
      const waiting = this.#countsTranslations() ? `${WAITING} + translation_updates` : WAITING;
      void query.whereIn('sites.id', this.#knex('site_states').whereRaw(`${waiting} > 0`).select('site_id'));
    }
    if (hasGuardLeft)
      void query.whereIn('sites.id', this.#knex('site_states').whereNotNull('guard_left').select('site_id'));
    whereSiteMatches(query, search);
    const isIndexed = !hasUpdates && !hasGuardLeft && (tagIds?.length ?? 0) < 2;
    // A limit is not a reason: the list of its sites is read by an index, and the hottest lists must not queue.
    return longRead(query, !isIndexed);
  }
}
