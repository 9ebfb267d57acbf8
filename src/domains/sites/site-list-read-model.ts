import type { Knex } from 'knex';
import { likePattern, prepared } from '../../db/dialect.ts';
import { KeptTotals, type WithRevision } from '../../db/revisions.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import type { KeyedSite, Site, SiteStatus } from './site.ts';
import { SITE_COLUMNS, toSite, type ListedSiteRow } from './site-repository.ts';

/** Up to here rows are skipped as they are; further on only their ids, which come from an index alone. */
const NEAR = 1_000;

/** The counters leave out what is ignored. */
const WAITING = 'core_updates + plugin_updates + theme_updates + translation_updates';

/** Which sites a list shows; the parts combine. */
export interface SiteFilter {
  status?: SiteStatus;
  /** Part of the name or of the address, in any case. */
  search?: string;
  clientId?: number;
  /** Sites of any of these. */
  clientIds?: readonly number[];
  /** Sites with any of these. */
  tagIds?: readonly number[];
  /** Of these alone; an empty list is no filter. */
  include?: readonly number[];
  exclude?: readonly number[];
  /** Sites that an update waits for which is not ignored. */
  hasUpdates?: true;
}

/**
 * Lists of sites, ordered by address. Each costs the same few statements whatever the size of the fleet: the page by ids from
 * a covering index, the rows by id, and a total that is kept.
 */
export class SiteList {
  readonly #knex: Knex;
  readonly #totals: KeptTotals;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new KeptTotals(knex, 'sites');
  }

  async page(filter: SiteFilter, request: PageRequest): Promise<Page<Site>> {
    const { page, perPage } = request;
    if (offsetOf(request) > NEAR) {
      const [total, items] = await Promise.all([
        this.count(filter),
        this.#ids(filter, request).then((ids) => this.byIds(ids)),
      ]);
      return { items, page, perPage, total };
    }
    const query = this.#onPage(filter, request);
    const { tagIds, clientIds, include, exclude } = filter;
    // A list of IDs makes a text of its own for each length.
    const isFixed = ![tagIds, clientIds, include, exclude].some((ids) => ids?.length);
    const rows = await (isFixed ? prepared(query) : query).select<(ListedSiteRow & WithRevision)[]>(
      ...SITE_COLUMNS,
      this.#totals.beside(),
    );
    const [first] = rows;
    const kept = first && !filter.hasUpdates;
    const total = await (kept ? this.#totals.at(first.list_revision, ...this.#counted(filter)) : this.count(filter));
    return { items: rows.map(toSite), page, perPage, total };
  }

  async all(filter: SiteFilter): Promise<KeyedSite[]> {
    const rows = await this.#filtered(filter)
      .orderBy(this.#order(filter))
      .select<ListedSiteRow[]>(...SITE_COLUMNS);
    return rows.map(toSite);
  }

  count(filter: SiteFilter): Promise<number> {
    const [key, compute] = this.#counted(filter);
    // Each sync may change which sites have updates, and no list of sites.
    return filter.hasUpdates ? compute() : this.#totals.get(key, compute);
  }

  /** What tells a filter's total apart, and how it is computed. */
  #counted(filter: SiteFilter): [filter: string, compute: () => Promise<number>] {
    const parts = [
      filter.status ?? '',
      filter.clientId ?? '',
      ...[filter.clientIds, filter.tagIds, filter.include, filter.exclude].map((ids) =>
        [...(ids ?? [])].sort().join(','),
      ),
      filter.search ?? '',
    ];
    const compute = async (): Promise<number> => {
      const counted = filter.tagIds?.length
        ? this.#filtered(filter).countDistinct({ n: 'sites.id' })
        : this.#filtered(filter).count({ n: '*' });
      const [row] = (await counted) as { n: number | string }[];
      return Number(row?.n ?? 0);
    };
    return [JSON.stringify(parts), compute];
  }

  #onPage(filter: SiteFilter, request: PageRequest): Knex.QueryBuilder {
    return this.#filtered(filter).orderBy(this.#order(filter)).offset(offsetOf(request)).limit(request.perPage);
  }

  /** Ids alone come from an index; skipping to a late page then fetches no rows on the way. */
  async #ids(filter: SiteFilter, request: PageRequest): Promise<number[]> {
    const rows = await this.#onPage(filter, request).select<{ id: number }[]>('sites.id');
    return rows.map(({ id }) => id);
  }

  /** Those of these that are there, in this order. */
  async byIds(ids: readonly number[]): Promise<Site[]> {
    if (ids.length === 0) return [];
    const rows = await this.#knex('sites')
      .whereIn('id', ids)
      .select<ListedSiteRow[]>(...SITE_COLUMNS);
    const byId = new Map(rows.map((row) => [row.id, toSite(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #order({ tagIds }: SiteFilter): { column: string }[] {
    return tagIds?.length === 1 ? [{ column: 'site_tags.site_key' }] : [{ column: 'sites.url_key' }];
  }

  #filtered({
    status,
    search,
    clientId,
    clientIds,
    tagIds,
    include,
    exclude,
    hasUpdates,
  }: SiteFilter): Knex.QueryBuilder {
    const query = this.#knex('sites');
    if (include?.length) void query.whereIn('sites.id', include);
    if (exclude?.length) void query.whereNotIn('sites.id', exclude);
    if (clientIds?.length) void query.whereIn('sites.client_id', clientIds);
    if (status) void query.where('sites.status', status);
    if (clientId !== undefined) void query.where('sites.client_id', clientId);
    if (tagIds?.length === 1)
      void query.join('site_tags', 'site_tags.site_id', 'sites.id').where('site_tags.tag_id', tagIds[0] as number);
    else if (tagIds?.length)
      void query.whereIn('sites.id', this.#knex('site_tags').whereIn('tag_id', tagIds).select('site_id'));
    if (hasUpdates)
      void query.whereIn('sites.id', this.#knex('site_states').whereRaw(`${WAITING} > 0`).select('site_id'));
    if (search?.trim()) {
      const pattern = likePattern(search.trim().toLowerCase());
      void query.where((either) => {
        void either.whereRaw(`sites.name_key like ? escape '!'`, [pattern]);
        // Addresses are ASCII, and MySQL refuses to compare such a column with anything else.
        if (/^[ -~]*$/.test(pattern)) void either.orWhereRaw(`sites.url_key like ? escape '!'`, [pattern]);
      });
    }
    return query;
  }
}
