import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { whereContains } from '../../db/search.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { Tag, TagDetail, TagFilter } from './tag.ts';
import { tagNotFound, type TagRow } from './tag-repository.ts';

const COLUMNS = ['tags.id', 'tags.name', 'tags.color', 'tags.revision', 'tags.created_at', 'tags.updated_at'] as const;
const SITES_COUNT = '(select count(*) from site_tags where site_tags.tag_id = tags.id) as sites_count';

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

export class TagReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'tags');
  }

  async get(id: number): Promise<TagDetail> {
    const row = await this.#knex('tags')
      .where({ id })
      .first<CountedRow | undefined>(...COLUMNS, this.#knex.raw(SITES_COUNT));
    if (!row) throw tagNotFound();
    const [detail] = await this.detailed([toTag(row)]);
    return detail as TagDetail;
  }

  async detailed(tags: readonly Tag[]): Promise<TagDetail[]> {
    const rows = await this.#knex('site_tags')
      .whereIn(
        'tag_id',
        tags.map(({ id }) => id),
      )
      .orderBy('site_id')
      .select<{ tag_id: number; site_id: number }[]>('tag_id', 'site_id');
    const detailed = new Map(tags.map((tag) => [tag.id, { ...tag, siteIds: [] as number[] }]));
    for (const { tag_id, site_id } of rows) detailed.get(tag_id)?.siteIds.push(site_id);
    return [...detailed.values()];
  }

  async name(id: number): Promise<string> {
    const row = await this.#knex('tags').where({ id }).first<{ name: string } | undefined>('name');
    if (!row) throw tagNotFound();
    return row.name;
  }

  async idOf(name: string): Promise<number> {
    const row = await this.#knex('tags')
      .where({ name_key: nameKeyOf(name) })
      .first<{ id: number } | undefined>('id');
    if (!row) throw tagNotFound();
    return row.id;
  }

  /** Finds the IDs of the page in an index, and then reads only these rows. */
  async list(filter: TagFilter, request: PageRequest): Promise<Page<Tag>> {
    const [total, ids] = await Promise.all([this.#count(filter), this.#ids(filter, request)]);
    return { items: await this.#byIds(ids), page: request.page, perPage: request.perPage, total };
  }

  #count(filter: TagFilter): Promise<number> {
    const { search = '', include = [], exclude = [] } = filter;
    const key = JSON.stringify([search, [...include].sort(), [...exclude].sort()]);
    return this.#totals.get(key, () => countRows(this.#filtered(filter)));
  }

  async #ids(filter: TagFilter, request: PageRequest): Promise<number[]> {
    const rows = await this.#filtered(filter)
      .orderBy(['tags.name_key', 'tags.id'])
      .offset(offsetOf(request))
      .limit(request.perPage)
      .select<{ id: number }[]>('tags.id');
    return rows.map(({ id }) => id);
  }

  async #byIds(ids: number[]): Promise<Tag[]> {
    if (ids.length === 0) return [];
    const rows = await this.#knex('tags')
      .whereIn('tags.id', ids)
      .select<CountedRow[]>(...COLUMNS, this.#knex.raw(SITES_COUNT));
    const byId = new Map(rows.map((row) => [row.id, toTag(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #filtered({ search, include, exclude }: TagFilter): Knex.QueryBuilder {
    const query = this.#knex('tags');
    if (include?.length) void query.whereIn('tags.id', [...include]);
    if (exclude?.length) void query.whereNotIn('tags.id', [...exclude]);
    whereContains(query, search, 'tags.name_key');
    return query;
  }
}
