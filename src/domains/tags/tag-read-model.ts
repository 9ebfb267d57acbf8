import type { Knex } from 'knex';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { longRead } from '../../db/long-read.ts';
import { orderByOf } from '../../db/order-by.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { whereContains } from '../../db/search.ts';
import { filterKeyOf } from '../../shared/filters.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import { whereInScope } from '../sites/index.ts';
import type { Tag, TagDetail, TagFilter, TagOrder } from './tag.ts';
import { tagNotFound, type TagRow } from './tag-repository.ts';

const COLUMNS = ['tags.id', 'tags.name', 'tags.color', 'tags.revision', 'tags.created_at', 'tags.updated_at'] as const;
const SITES_COUNT = '(select count(*) from site_tags where site_tags.tag_id = tags.id) as sites_count';

const BY_NAME: TagOrder = { by: 'name', direction: 'asc' };
const ORDER_COLUMNS = { name: ['tags.name_key'], created_at: ['tags.created_at', 'tags.id'] } as const;

type CountedRow = TagRow & { sites_count: number | string };

const toTag = (row: CountedRow): Tag => ({
  id: row.id,
  name: row.name,
  color: row.color,
  sitesCount: Number(row.sites_count),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  revision: row.revision,
});

/** Reads tags. A tag is in a scope if one of its sites is. Only sites in the scope are counted and named. */
export class TagReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;
  /** Uses the revision of `sites` too, because clients and tags of sites decide which tags are in a scope. */
  readonly #limitedTotals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'tags');
    this.#limitedTotals = new RevisionCache(knex, ['tags', 'sites']);
  }

  async get(scope: SiteScope, id: number): Promise<TagDetail> {
    const row = await this.#inScope(scope)
      .where({ id })
      .first<CountedRow | undefined>(...COLUMNS, this.#sitesCount(scope));
    if (!row) throw tagNotFound();
    const [detail] = await this.detailed(scope, [toTag(row)]);
    return detail as TagDetail;
  }

  /**
   * Returns the number of sites of a tag that are not in the scope. Throws `svc_tag_not_found` if none of its sites is
   * in the scope. While the tag is locked, no other site can get it, because that needs a lock on the tag.
   */
  async countOutside(scope: SiteScope, id: number): Promise<number> {
    if (!isLimited(scope)) return 0;
    const row = await this.#inScope(scope)
      .where({ id })
      .first<{ seen: number | string; sites_count: number | string } | undefined>(
        this.#knex.raw('in_scope.sites_count as seen'),
        this.#knex.raw(SITES_COUNT),
      );
    if (!row) throw tagNotFound();
    return Number(row.sites_count) - Number(row.seen);
  }

  async detailed(scope: SiteScope, tags: readonly Tag[]): Promise<TagDetail[]> {
    const ids = tags.map(({ id }) => id);
    // One tag has at most one row per site. A page of tags can have many times as many.
    const query = longRead(this.#knex('site_tags'), ids.length > 1).whereIn('tag_id', ids);
    whereInScope(this.#knex, query, scope, 'site_tags.site_id');
    query.orderBy(['tag_id', 'site_id']).select('tag_id', 'site_id');
    const rows = (await query) as { tag_id: number; site_id: number }[];
    const detailed = new Map(tags.map((tag) => [tag.id, { ...tag, siteIds: [] as number[] }]));
    for (const { tag_id, site_id } of rows) detailed.get(tag_id)?.siteIds.push(site_id);
    return [...detailed.values()];
  }

  async name(scope: SiteScope, id: number): Promise<string> {
    const row = await this.#inScope(scope).where({ id }).first<{ name: string } | undefined>('name');
    if (!row) throw tagNotFound();
    return row.name;
  }

  async idOf(scope: SiteScope, name: string): Promise<number> {
    const row = await this.#inScope(scope)
      .where({ name_key: nameKeyOf(name) })
      .first<{ id: number } | undefined>('id');
    if (!row) throw tagNotFound();
    return row.id;
  }

  async list(scope: SiteScope, filter: TagFilter, request: PageRequest, order = BY_NAME): Promise<Page<Tag>> {
    const [total, ids] = await Promise.all([this.#count(scope, filter), this.#ids(scope, filter, request, order)]);
    return { items: await this.#byIds(scope, ids), page: request.page, perPage: request.perPage, total };
  }

  #count(scope: SiteScope, filter: TagFilter): Promise<number> {
    const totals = isLimited(scope) ? this.#limitedTotals : this.#totals;
    return totals.get(scope.key + filterKeyOf(filter), () => countRows(this.#filtered(scope, filter)));
  }

  async #ids(scope: SiteScope, filter: TagFilter, request: PageRequest, order: TagOrder): Promise<number[]> {
    const rows = await this.#filtered(scope, filter)
      .orderBy(orderByOf(ORDER_COLUMNS, order))
      .modify(limitToPage, request)
      .select<{ id: number }[]>('tags.id');
    return rows.map(({ id }) => id);
  }

  async #byIds(scope: SiteScope, ids: number[]): Promise<Tag[]> {
    if (ids.length === 0) return [];
    const rows = await this.#inScope(scope)
      .whereIn('tags.id', ids)
      .select<CountedRow[]>(...COLUMNS, this.#sitesCount(scope));
    const byId = new Map(rows.map((row) => [row.id, toTag(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #filtered(scope: SiteScope, { search, include, exclude }: TagFilter): Knex.QueryBuilder {
    const query = this.#inScope(scope);
    if (include?.length) void query.whereIn('tags.id', [...include]);
    if (exclude?.length) void query.whereNotIn('tags.id', [...exclude]);
    whereContains(query, search, 'tags.name_key');
    return query;
  }

  #inScope(scope: SiteScope): Knex.QueryBuilder {
    const query = this.#knex('tags');
    if (!isLimited(scope)) return query;
    const sites = this.#knex('site_tags').groupBy('site_tags.tag_id');
    whereInScope(this.#knex, sites, scope, 'site_tags.site_id');
    const counted = sites.select('site_tags.tag_id', this.#knex.raw('count(*) as sites_count'));
    return longRead(query).join(counted.as('in_scope'), 'in_scope.tag_id', 'tags.id');
  }

  #sitesCount(scope: SiteScope): Knex.Raw {
    return this.#knex.raw(isLimited(scope) ? 'in_scope.sites_count' : SITES_COUNT);
  }
}
