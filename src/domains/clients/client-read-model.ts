import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { orderByOf } from '../../db/order-by.ts';
import { RevisionCache } from '../../db/revisions.ts';
import { whereContains } from '../../db/search.ts';
import { filterKeyOf } from '../../shared/filters.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import {
  type Client,
  type ClientBrief,
  type ClientFilter,
  type ClientOrder,
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

const BY_NAME: ClientOrder = { by: 'name', direction: 'asc' };
const ORDER_COLUMNS = {
  name: ['clients.name_key', 'clients.id'],
  email: ['clients.email_key', 'clients.id'],
  created_at: ['clients.created_at', 'clients.id'],
} as const;

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

/** A client is in the scope if one of its sites is. `sitesCount` counts only the sites in the scope. */
export class ClientReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;
  /**
   * The client and the tags of each site decide which clients are in a limited scope and which clients have a tag. So
   * these two caches depend on the revision of `sites`.
   */
  readonly #limitedTotals: RevisionCache;
  readonly #taggedTotals: RevisionCache;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'clients');
    this.#limitedTotals = new RevisionCache(knex, ['clients', 'sites']);
    this.#taggedTotals = new RevisionCache(knex, 'sites');
  }

  async get(scope: SiteScope, ref: ClientRef): Promise<Client> {
    const row = await this.#inScope(scope)
      .where(clientRefCondition(ref))
      .first<(ClientRow & SitesCountColumn) | undefined>(...COLUMNS, this.#sitesCount(scope));
    if (!row) throw clientNotFound();
    return toClient(row);
  }

  /** Returns a client that the caller has changed, even if none of its sites is in the scope anymore. */
  async getChanged(scope: SiteScope, id: number): Promise<Client> {
    const row = await this.#inScope(scope, 'leftJoin')
      .where({ id })
      .first<(ClientRow & SitesCountColumn) | undefined>(...COLUMNS, this.#sitesCount(scope));
    if (!row) throw clientNotFound();
    return toClient(row);
  }

  async find(scope: SiteScope, ref: ClientRef): Promise<ClientBrief> {
    const row = await this.#inScope(scope)
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

  async list(scope: SiteScope, filter: ClientFilter, request: PageRequest): Promise<Page<ListedClient>> {
    const page = await this.#page(scope, filter, request, BY_NAME);
    return { ...page, items: await this.byIds(scope, page.items) };
  }

  async listFull(scope: SiteScope, filter: ClientFilter, request: PageRequest, order = BY_NAME): Promise<Page<Client>> {
    const page = await this.#page(scope, filter, request, order);
    return { ...page, items: await this.fullByIds(scope, page.items) };
  }

  async byIds(scope: SiteScope, ids: readonly number[]): Promise<ListedClient[]> {
    return (await this.#rows<ListedRow>(scope, ids, LISTED_COLUMNS)).map(toListed);
  }

  async fullByIds(scope: SiteScope, ids: readonly number[]): Promise<Client[]> {
    return (await this.#rows<ClientRow & SitesCountColumn>(scope, ids, COLUMNS)).map(toClient);
  }

  count(scope: SiteScope, filter: ClientFilter): Promise<number> {
    const totals = isLimited(scope) ? this.#limitedTotals : this.#totals;
    return totals.get(scope.key + filterKeyOf(filter), () => countRows(this.#filtered(scope, filter)));
  }

  async withTag(scope: SiteScope, tagId: number, request: PageRequest): Promise<Page<ClientWithTaggedSiteCount>> {
    const [total, rows] = await Promise.all([
      this.countWithTag(scope, tagId),
      this.#tagged(scope, tagId)
        .join('clients', 'clients.id', 'sites.client_id')
        .groupBy('clients.id', 'clients.name', 'clients.email', 'clients.name_key')
        .orderBy(['clients.name_key', 'clients.id'])
        .modify(limitToPage, request)
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

  countWithTag(scope: SiteScope, tagId: number): Promise<number> {
    const count = (): Promise<number> => countRows(this.#tagged(scope, tagId), 'sites.client_id');
    return this.#taggedTotals.get(JSON.stringify([scope.key, tagId]), count);
  }

  #tagged(scope: SiteScope, tagId: number): Knex.QueryBuilder {
    const query = longRead(this.#knex('site_tags'))
      .join('sites', 'sites.id', 'site_tags.site_id')
      .where('site_tags.tag_id', tagId)
      .whereNotNull('sites.client_id');
    whereInScope(this.#knex, query, scope);
    return query;
  }

  async #page(scope: SiteScope, filter: ClientFilter, request: PageRequest, order: ClientOrder): Promise<Page<number>> {
    const [total, rows] = await Promise.all([
      this.count(scope, filter),
      this.#filtered(scope, filter)
        .orderBy(orderByOf(ORDER_COLUMNS, order))
        .modify(limitToPage, request)
        .select<{ id: number }[]>('clients.id'),
    ]);
    return { items: rows.map(({ id }) => id), page: request.page, perPage: request.perPage, total };
  }

  async #rows<R extends { id: number }>(
    scope: SiteScope,
    ids: readonly number[],
    columns: readonly string[],
  ): Promise<R[]> {
    if (ids.length === 0) return [];
    const rows = (await this.#inScope(scope)
      .whereIn('clients.id', [...ids])
      .select(...columns, this.#sitesCount(scope))) as R[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #filtered(scope: SiteScope, { status, search, include, exclude }: ClientFilter): Knex.QueryBuilder {
    const query = this.#inScope(scope);
    if (status) void query.where('clients.status', status);
    if (include?.length) void query.whereIn('clients.id', [...include]);
    if (exclude?.length) void query.whereNotIn('clients.id', [...exclude]);
    whereContains(query, search, 'clients.name_key', 'clients.email_key');
    return query;
  }

  #inScope(scope: SiteScope, join: 'join' | 'leftJoin' = 'join'): Knex.QueryBuilder {
    const query = this.#knex('clients');
    if (!isLimited(scope)) return query;
    const sites = this.#knex('sites').whereNotNull('sites.client_id').groupBy('sites.client_id');
    whereInScope(this.#knex, sites, scope);
    const counted = sites.select('sites.client_id', this.#knex.raw('count(*) as sites_count'));
    return longRead(query)[join](counted.as('in_scope'), 'in_scope.client_id', 'clients.id');
  }

  #sitesCount(scope: SiteScope): Knex.Raw {
    return this.#knex.raw(isLimited(scope) ? 'coalesce(in_scope.sites_count, 0) as sites_count' : SITES_COUNT);
  }
}
