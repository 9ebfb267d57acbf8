import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { whereContains } from '../../db/search.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import {
  type Client,
  type ClientBrief,
  type ClientFilter,
  type ClientRef,
  type ListedClient,
  type ClientWithTaggedSiteCount,
} from './client.ts';
import {
  clientNotFound,
  clientRefCondition,
  toClientProfile,
  WRITTEN_COLUMNS,
  type ClientRow,
} from './client-repository.ts';

const BRIEF_COLUMNS = ['clients.id', 'clients.name', 'clients.email', 'clients.status'] as const;
const LISTED_COLUMNS = [...BRIEF_COLUMNS, 'clients.phone', 'clients.created_at'] as const;
const COLUMNS = [...WRITTEN_COLUMNS, 'revision', 'created_at', 'updated_at'].map((name) => `clients.${name}`);
const SITES_COUNT = '(select count(*) from sites where sites.client_id = clients.id) as sites_count';

interface SitesCountColumn {
  sites_count: number | string;
}
type BriefRow = Pick<ClientRow, 'id' | 'name' | 'email' | 'status'>;
type ListedRow = BriefRow & Pick<ClientRow, 'phone' | 'created_at'> & SitesCountColumn;

const toBrief = ({ id, name, email, status }: BriefRow): ClientBrief => ({ id, name, email, status });

const toListed = (row: ListedRow): ListedClient => ({
  ...toBrief(row),
  phone: row.phone,
  sitesCount: Number(row.sites_count),
  createdAt: Number(row.created_at),
});

const toClient = (row: ClientRow & SitesCountColumn): Client => ({
  ...toClientProfile(row),
  ...toListed(row),
  updatedAt: Number(row.updated_at),
  revision: row.revision,
});

export class ClientReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;
  /**
   * The number of clients with a tag depends on the owners and tags of sites, so its cache uses the revision of
   * `sites`.
   */
  readonly #taggedTotals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'clients');
    this.#taggedTotals = new RevisionCache(knex, 'sites');
  }

  async get(ref: ClientRef): Promise<Client> {
    const row = await this.#knex('clients')
      .where(clientRefCondition(ref))
      .first<(ClientRow & SitesCountColumn) | undefined>(...COLUMNS, this.#knex.raw(SITES_COUNT));
    if (!row) throw clientNotFound();
    return toClient(row);
  }

  async find(ref: ClientRef): Promise<ClientBrief> {
    const row = await this.#knex('clients')
      .where(clientRefCondition(ref))
      .first<BriefRow | undefined>(...BRIEF_COLUMNS);
    if (!row) throw clientNotFound();
    return toBrief(row);
  }

  async brief(id: number): Promise<ClientBrief | null> {
    const row = await this.#knex('clients')
      .where({ id })
      .first<BriefRow | undefined>(...BRIEF_COLUMNS);
    return row ? toBrief(row) : null;
  }

  async list(filter: ClientFilter, request: PageRequest): Promise<Page<ListedClient>> {
    const page = await this.#page(filter, request);
    return { ...page, items: await this.byIds(page.items) };
  }

  async listFull(filter: ClientFilter, request: PageRequest): Promise<Page<Client>> {
    const page = await this.#page(filter, request);
    return { ...page, items: await this.fullByIds(page.items) };
  }

  async byIds(ids: readonly number[]): Promise<ListedClient[]> {
    return (await this.#rows<ListedRow>(ids, LISTED_COLUMNS)).map(toListed);
  }

  async fullByIds(ids: readonly number[]): Promise<Client[]> {
    return (await this.#rows<ClientRow & SitesCountColumn>(ids, COLUMNS)).map(toClient);
  }

  count(filter: ClientFilter): Promise<number> {
    const { status = '', search = '', include = [], exclude = [] } = filter;
    const key = JSON.stringify([status, search, [...include].sort(), [...exclude].sort()]);
    return this.#totals.get(key, () => countRows(this.#filtered(filter)));
  }

  async withTag(tagId: number, request: PageRequest): Promise<Page<ClientWithTaggedSiteCount>> {
    const [total, rows] = await Promise.all([
      this.countWithTag(tagId),
      this.#tagged(tagId)
        .join('clients', 'clients.id', 'sites.client_id')
        .groupBy('clients.id', 'clients.name', 'clients.email', 'clients.name_key')
        .orderBy(['clients.name_key', 'clients.id'])
        .offset(offsetOf(request))
        .limit(request.perPage)
        .select<(Pick<ClientRow, 'id' | 'name' | 'email'> & { n: number | string })[]>(
          'clients.id',
          'clients.name',
          'clients.email',
          this.#knex.raw('count(*) as n'),
        ),
    ]);
    const items = rows.map(({ id, name, email, n }) => ({ id, name, email, sitesWithTag: Number(n) }));
    return { items, page: request.page, perPage: request.perPage, total };
  }

  countWithTag(tagId: number): Promise<number> {
    return this.#taggedTotals.get(String(tagId), () => countRows(this.#tagged(tagId), 'sites.client_id'));
  }

  #tagged(tagId: number): Knex.QueryBuilder {
    return this.#knex('site_tags')
      .join('sites', 'sites.id', 'site_tags.site_id')
      .where('site_tags.tag_id', tagId)
      .whereNotNull('sites.client_id');
  }

  async #page(filter: ClientFilter, request: PageRequest): Promise<Page<number>> {
    const [total, rows] = await Promise.all([
      this.count(filter),
      this.#filtered(filter)
        .orderBy(['clients.name_key', 'clients.id'])
        .offset(offsetOf(request))
        .limit(request.perPage)
        .select<{ id: number }[]>('clients.id'),
    ]);
    return { items: rows.map(({ id }) => id), page: request.page, perPage: request.perPage, total };
  }

  async #rows<R extends { id: number }>(ids: readonly number[], columns: readonly string[]): Promise<R[]> {
    if (ids.length === 0) return [];
    const rows = (await this.#knex('clients')
      .whereIn('clients.id', [...ids])
      .select(...columns, this.#knex.raw(SITES_COUNT))) as R[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #filtered({ status, search, include, exclude }: ClientFilter): Knex.QueryBuilder {
    const query = this.#knex('clients');
    if (status) void query.where('clients.status', status);
    if (include?.length) void query.whereIn('clients.id', [...include]);
    if (exclude?.length) void query.whereNotIn('clients.id', [...exclude]);
    whereContains(query, search, 'clients.name_key', 'clients.email_key');
    return query;
  }
}
