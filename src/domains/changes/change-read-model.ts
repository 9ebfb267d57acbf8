import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { FEW_ROWS, longRead } from '../../db/long-read.ts';
import { offsetOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { ChangeSource } from './change-repository.ts';
import { ChangeTotals } from './change-totals-read-model.ts';
import { CHANGE_COLUMNS, toChange, type ListedRow, type LoggedChange } from './logged-change.ts';
import { withoutUnseenNames } from './visible-names-read-model.ts';

export interface ChangeFilter {
  type?: string;
  sources?: readonly ChangeSource[];
  contexts?: readonly string[];
  actions?: readonly string[];
}

/** Times are milliseconds since 1970. `until` is excluded. */
export interface FleetChangeFilter extends ChangeFilter {
  about?: 'sites' | 'service';
  siteId?: number;
  clientId?: number;
  actor?: string;
  since?: number;
  until?: number;
}

export interface ChangedSite {
  id: number;
  url: string;
  name: string;
  clientId: number | null;
}

export type ChangeWithSite = LoggedChange & { site: ChangedSite | null };

export type ChangeOrder = 'asc' | 'desc';

export class ChangeReadModel {
  readonly #knex: Knex;
  readonly #totals: ChangeTotals;

  constructor(knex: Knex, totals = new ChangeTotals(knex)) {
    this.#knex = knex;
    this.#totals = totals;
  }

  async ofSite(
    scope: SiteScope,
    siteId: number,
    filter: ChangeFilter,
    request: PageRequest,
    order: ChangeOrder = 'desc',
  ): Promise<Page<LoggedChange>> {
    const chosen = { ...filter, siteId };
    const [rows, total] = await Promise.all([
      this.#page(scope, chosen, request, order).select<ListedRow[]>(...LISTED),
      this.#count(scope, chosen),
    ]);
    const items = await withoutUnseenNames(this.#knex, scope, rows.map(toChange));
    return { items, page: request.page, perPage: request.perPage, total };
  }

  /** A limited scope contains no change of the service itself. */
  async ofFleet(
    scope: SiteScope,
    filter: FleetChangeFilter,
    request: PageRequest,
    order: ChangeOrder,
  ): Promise<Page<ChangeWithSite>> {
    const [rows, total] = await Promise.all([
      this.#page(scope, filter, request, order)
        .leftJoin('sites as site', 'site.id', 'changes.site_id')
        .select<ChangeWithSiteRow[]>(
          ...LISTED,
          'site.url as site_url',
          'site.name as site_name',
          'site.client_id as client_id',
        ),
      this.#count(scope, filter),
    ]);
    const items = await withoutUnseenNames(this.#knex, scope, rows.map(toChangeWithSite));
    return { items, page: request.page, perPage: request.perPage, total };
  }

  stop(): Promise<void> {
    return this.#totals.stop();
  }

  /** Totals of a limited scope are not cached: a site can join the scope without a new revision of `changes`. */
  #count(scope: SiteScope, filter: FleetChangeFilter): Promise<number> {
    if (isLimited(scope)) return countRows(longRead(this.#chosen(scope, filter)));
    return this.#totals.count({
      key: JSON.stringify(Object.entries(filter).sort()),
      subjects: filter.clientId === undefined ? [] : ['sites'],
      rows: (table) => this.#chosen(scope, filter, table),
    });
  }

  /** Finds the IDs of the page in an index first, so that the rows before a deep page are not read. */
  #page(scope: SiteScope, filter: FleetChangeFilter, request: PageRequest, order: ChangeOrder): Knex.QueryBuilder {
    const chosen = this.#chosen(scope, filter).orderBy(orderBy(order));
    const ids = chosen.offset(offsetOf(request)).limit(request.perPage).select('changes.id');
    const page = this.#knex.from(ids.as('page')).join('changes', 'changes.id', 'page.id').orderBy(orderBy(order));
    return longRead(page, offsetOf(request) > FEW_ROWS || isLimited(scope) || !isIndexed(filter));
  }

  #chosen(
    scope: SiteScope,
    { type, sources, contexts, actions, ...fleet }: FleetChangeFilter,
    table: string | Knex.Raw = 'changes',
  ): Knex.QueryBuilder {
    const query = this.#knex.from(table);
    whereInScope(this.#knex, query, scope, 'changes.site_id');
    this.#narrow(query, fleet);
    if (type !== undefined) void query.where({ type });
    if (sources?.length) void query.whereIn('source', [...sources]);
    if (contexts?.length)
      void query.where(
        whereTypeMatches(
          contexts.map((context) => `${context}.`),
          'first',
        ),
      );
    if (actions?.length)
      void query.where(
        whereTypeMatches(
          actions.map((action) => `.${action}`),
          'last',
        ),
      );
    return query;
  }

  #narrow(query: Knex.QueryBuilder, { about, siteId, clientId, actor, since, until }: FleetChangeFilter): void {
    if (siteId !== undefined) void query.where({ site_id: siteId });
    if (about === 'sites') void query.whereNotNull('site_id');
    if (about === 'service') void query.whereNull('site_id');
    if (clientId !== undefined)
      void query.whereIn('site_id', this.#knex('sites').where({ client_id: clientId }).select('id'));
    if (actor !== undefined) void query.where({ actor });
    if (since !== undefined) void query.where('at', '>=', since);
    if (until !== undefined) void query.where('at', '<', until);
  }
}

type ChangeWithSiteRow = ListedRow & { site_url: string | null; site_name: string | null; client_id: number | null };

const LISTED = CHANGE_COLUMNS.map((column) => `changes.${column}`);

const orderBy = (order: ChangeOrder): { column: string; order: ChangeOrder }[] => [
  { column: 'changes.at', order },
  { column: 'changes.id', order },
];

const toChangeWithSite = (row: ChangeWithSiteRow): ChangeWithSite => ({
  ...toChange(row),
  site:
    row.site_id === null
      ? null
      : { id: row.site_id, url: row.site_url ?? '', name: row.site_name ?? '', clientId: row.client_id },
});

/** Filters for which an index has the chosen changes in the order of the list, so that no others are read. */
const INDEXED = new Set(['', 'actor', 'siteId', 'siteId,type', 'type']);

function isIndexed({ since: _since, until: _until, ...filter }: FleetChangeFilter): boolean {
  const names = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : name));
  return INDEXED.has(names.sort().join());
}

/** Compares with `substr`, because LIKE does not compare exactly in either database. */
const whereTypeMatches =
  (texts: readonly string[], end: 'first' | 'last') =>
  (either: Knex.QueryBuilder): void => {
    for (const text of texts) {
      const length = Array.from(text).length;
      if (end === 'first') void either.orWhereRaw('substr(type, 1, ?) = ?', [length, text]);
      else void either.orWhereRaw('substr(type, ?) = ?', [-length, text]);
    }
  };
