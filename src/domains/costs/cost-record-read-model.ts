import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { longRead } from '../../db/long-read.ts';
import { orderByOf } from '../../db/order-by.ts';
import { whereContains } from '../../db/search.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { CostFilter, CostOrder, CostRecord, CostTarget, TargetKind } from './cost.ts';
import { renewalAnchorOf, COST_COLUMNS, costNotFound, toCost, type CostRow } from './cost-repository.ts';
import { costFrequencyOf, nextDue, type GetToday } from './cost-rules.ts';
import { costTargetsInScope, whereCostInScope } from './cost-scope-read-model.ts';

const BY_NAME: CostOrder = { by: 'name', direction: 'asc' };
const ORDER_COLUMNS = {
  name: ['name_key', 'id'],
  price: ['price_units', 'id'],
  last_renewal: ['last_renewal', 'id'],
} as const;

/** A cost is in the scope if one of its targets is. Only the targets in the scope are returned. */
export class CostRecordReadModel {
  readonly #db: Knex;
  readonly #today: GetToday;

  constructor(db: Knex, today: GetToday) {
    this.#db = db;
    this.#today = today;
  }

  async get(scope: SiteScope, id: number): Promise<CostRecord> {
    const query = this.#db('costs');
    whereCostInScope(this.#db, query, scope);
    const row = await query.where({ id }).first<CostRow | undefined>(...COST_COLUMNS);
    if (!row) throw costNotFound();
    const [cost] = await this.#records(scope, [row]);
    return cost as CostRecord;
  }

  /** There are far fewer costs than sites, so the total is not cached. */
  list(scope: SiteScope, filter: CostFilter, request: PageRequest, order = BY_NAME): Promise<Page<CostRecord>> {
    const toItems = (rows: CostRow[]): Promise<CostRecord[]> => this.#records(scope, rows);
    const chosen = (): Knex.QueryBuilder => this.#filtered(scope, filter);
    const orderBy = orderByOf(ORDER_COLUMNS, order);
    return readCountedPage({ chosen, orderBy, columns: COST_COLUMNS, toItems, isLong: isLimited(scope) }, request);
  }

  async #records(scope: SiteScope, rows: readonly CostRow[]): Promise<CostRecord[]> {
    const today = this.#today();
    const ids = rows.map(({ id }) => id);
    const targetRows = await longRead(costTargetsInScope(this.#db, scope), isLimited(scope))
      .whereIn('cost_id', ids)
      .orderBy(['kind', 'target_id'])
      .select<{ cost_id: number; kind: TargetKind; target_id: number }[]>('cost_id', 'kind', 'target_id');
    const targets = new Map<number, CostTarget[]>(ids.map((id) => [id, []]));
    for (const { cost_id, kind, target_id } of targetRows) targets.get(cost_id)?.push({ kind, id: target_id });
    return rows.map((row) => {
      const cost = toCost(row);
      const frequency = costFrequencyOf(cost);
      return {
        ...cost,
        id: row.id,
        frequency,
        nextDue: nextDue(renewalAnchorOf(row), frequency, today),
        targets: targets.get(row.id) ?? [],
        createdAt: Number(row.created_at),
        updatedAt: Number(row.updated_at),
      };
    });
  }

  #filtered(scope: SiteScope, { search, include, exclude, productType, type, status }: CostFilter): Knex.QueryBuilder {
    const query = this.#db('costs');
    whereCostInScope(this.#db, query, scope);
    if (include?.length) void query.whereIn('id', [...include]);
    if (exclude?.length) void query.whereNotIn('id', [...exclude]);
    if (productType) void query.where('product_type', productType);
    if (type) void query.where('type', type);
    if (status) void query.where('status', status);
    whereContains(query, search, 'name_key');
    return query;
  }
}
