import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { chunksBySize } from '../../db/chunks.ts';
import { countRows } from '../../db/count-rows.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { CostShare, CostTotals, SiteCostShare } from './cost.ts';
import { renewalAnchorOf, type CostRow } from './cost-repository.ts';
import { costFrequencyOf, nextDue, minorUnitOf, siteShareOf, costTotalsOf, type GetToday } from './cost-rules.ts';

export interface SiteCosts extends CostTotals {
  costs: CostShare[];
}

export interface ClientCosts extends CostTotals {
  costs: SiteCostShare[];
}

const COLUMNS = [
  'costs.id',
  'costs.name',
  'costs.type',
  'costs.license_type',
  'costs.price_units',
  'costs.renewal_type',
  'costs.last_renewal',
  'costs.renewal_anchor',
  'sites.id as site_id',
  'sites.name as site_name',
] as const;
type SharedCostRow = Pick<
  CostRow,
  'id' | 'name' | 'type' | 'license_type' | 'price_units' | 'renewal_type' | 'last_renewal' | 'renewal_anchor'
> & { site_id: number; site_name: string };

type ShareFilter = { 'sites.id': number } | { 'sites.client_id': number };

interface CostSplit {
  sites: number;
  before: number;
}

/** Number of sites of a target in SQL. */
const SITES_OF_TARGET =
  "case cost_targets.kind when 'site' then 1 " +
  "when 'client' then (select count(*) from sites where sites.client_id = cost_targets.target_id) " +
  'else (select count(*) from site_tags where site_tags.tag_id = cost_targets.target_id) end';
const SHARES_A_STATEMENT = 5000;

const termsOf = (row: SharedCostRow, today: string): Pick<CostShare, 'frequency' | 'nextDue'> => {
  const frequency = costFrequencyOf({ type: row.type, renewalType: row.renewal_type });
  return { frequency, nextDue: nextDue(renewalAnchorOf(row), frequency, today) };
};

const costSiteKeyOf = (costId: number, siteId: number): string => `${costId}:${siteId}`;

export interface CostShareContext {
  today: GetToday;
  currencyDecimals: () => number;
}

export class CostShareReadModel {
  readonly #knex: Knex;
  readonly #today: GetToday;
  readonly #currencyDecimals: () => number;

  constructor(knex: Knex, { today, currencyDecimals }: CostShareContext) {
    this.#knex = knex;
    this.#today = today;
    this.#currencyDecimals = currencyDecimals;
  }

  /** Does not check the scope: the site must be in the scope of the caller, who then sees all costs of the site. */
  async ofSite(siteId: number): Promise<SiteCosts> {
    const entries = await this.#entries(ALL_SITES, { 'sites.id': siteId });
    const costs = entries.map(({ id, name, amountUnits, frequency, nextDue: due }): CostShare => {
      return { id, name, amountUnits, frequency, nextDue: due };
    });
    return { costs, ...costTotalsOf(costs, this.#minorUnit()) };
  }

  /**
   * Returns one entry for each site of the scope that has a share, so that the totals of the sites add up to the totals
   * of the client.
   */
  async ofClient(scope: SiteScope, clientId: number): Promise<ClientCosts> {
    const costs = await this.#entries(scope, { 'sites.client_id': clientId });
    return { costs, ...costTotalsOf(costs, this.#minorUnit()) };
  }

  sitesOf(scope: SiteScope, costId: number, request: PageRequest): Promise<Page<number>> {
    const sites = (): Knex.QueryBuilder => this.#sitesSharing(scope, costId);
    return this.#pageOf(sites, ['sites.url_key'], 'sites.id', request);
  }

  async countOutside(scope: SiteScope, costId: number): Promise<number> {
    if (!isLimited(scope)) return 0;
    const all = await countRows(this.#sitesSharing(ALL_SITES, costId));
    return all - (await countRows(this.#sitesSharing(scope, costId)));
  }

  clientsOf(scope: SiteScope, costId: number, request: PageRequest): Promise<Page<number>> {
    const clients = (): Knex.QueryBuilder => {
      const named = this.#knex('cost_targets')
        .where({ cost_id: costId, kind: 'client' })
        .select('target_id as client_id');
      const owners = this.#sitesSharing(scope, costId).whereNotNull('sites.client_id');
      // If a limited scope has a site of a client target, the client is found through this site. Other client targets
      // are not in the scope.
      if (isLimited(scope)) void owners.distinct('sites.client_id');
      else void owners.select('sites.client_id').union(named);
      return longRead(this.#knex(owners.as('payers'))).join('clients', 'clients.id', 'payers.client_id');
    };
    return this.#pageOf(clients, ['clients.name_key', 'clients.id'], 'clients.id', request);
  }

  #minorUnit(): number {
    return minorUnitOf(this.#currencyDecimals());
  }

  #sitesSharing(scope: SiteScope, costId: number): Knex.QueryBuilder {
    const cost = this.#knex('costs').where({ id: costId }).select('id as cost_id');
    const query = longRead(this.#knex(this.#sitesOf(cost).as('shared'))).join('sites', 'sites.id', 'shared.site_id');
    whereInScope(this.#knex, query, scope);
    return query;
  }

  async #pageOf(
    all: () => Knex.QueryBuilder,
    order: string[],
    id: string,
    request: PageRequest,
  ): Promise<Page<number>> {
    const [total, rows] = await Promise.all([
      countRows(all()),
      all().orderBy(order).modify(limitToPage, request).select<{ id: number }[]>(`${id} as id`),
    ]);
    const items = rows.map((row) => row.id);
    return { items, page: request.page, perPage: request.perPage, total };
  }

  async #entries(scope: SiteScope, bearers: ShareFilter): Promise<SiteCostShare[]> {
    const today = this.#today();
    const minorUnit = this.#minorUnit();
    const entries: SiteCostShare[] = [];
    for (const costIds of await this.#costChunks(bearers)) {
      const [rows, divisions] = await Promise.all([
        this.#sharedCosts(scope, bearers, costIds),
        this.#costSplits(bearers, costIds),
      ]);
      const terms = new Map<number, Pick<CostShare, 'frequency' | 'nextDue'>>();
      for (const row of rows) {
        await endLongTurn();
        const cost = { licenseType: row.license_type, priceUnits: Number(row.price_units) };
        const split = divisions.get(costSiteKeyOf(row.id, row.site_id)) ?? { sites: 1, before: 0 };
        const ofCost = terms.get(row.id) ?? termsOf(row, today);
        terms.set(row.id, ofCost);
        entries.push({
          id: row.id,
          name: row.name,
          amountUnits: siteShareOf(cost, split, minorUnit),
          ...ofCost,
          siteId: row.site_id,
          siteName: row.site_name,
        });
      }
    }
    return entries;
  }

  /** Returns the IDs of the costs of these sites in ascending order, in parts for one statement each. */
  async #costChunks(bearers: ShareFilter): Promise<number[][]> {
    // For one site, the statements read all sites of a cost only to divide its price.
    const readSites =
      'sites.id' in bearers
        ? `case costs.license_type when 'multi_site' then ${SITES_OF_TARGET} else 1 end`
        : SITES_OF_TARGET;
    const rows = await longRead(this.#knex('cost_targets'))
      .join('costs', 'costs.id', 'cost_targets.cost_id')
      .where('costs.status', 'active')
      .whereIn('costs.id', this.#knex(this.#sharesOf(bearers).as('borne')).select('cost_id'))
      .groupBy('costs.id')
      .orderBy('costs.id')
      .select<{ id: number; sites: number | string }[]>('costs.id', this.#knex.raw(`sum(${readSites}) as sites`));
    return chunksBySize(rows, ({ sites }) => Number(sites), SHARES_A_STATEMENT).map((part) => part.map(({ id }) => id));
  }

  async #sharedCosts(scope: SiteScope, bearers: ShareFilter, costIds: readonly number[]): Promise<SharedCostRow[]> {
    const query = longRead(this.#knex('costs'))
      .join(this.#sharesOf(bearers, costIds).as('borne'), 'borne.cost_id', 'costs.id')
      .join('sites', 'sites.id', 'borne.site_id')
      .where('costs.status', 'active');
    whereInScope(this.#knex, query, scope);
    return query.orderBy(['costs.id', 'sites.url_key']).select<SharedCostRow[]>(...COLUMNS);
  }

  /**
   * Returns how prices are divided. Only the price of a `multi_site` cost is divided, over all its sites, including
   * sites of other clients and sites outside the scope.
   */
  async #costSplits(bearers: ShareFilter, costIds: readonly number[]): Promise<Map<string, CostSplit>> {
    const divided = this.#knex('costs')
      .whereIn('id', [...costIds])
      .where({ license_type: 'multi_site' })
      .select('id as cost_id');
    const numbered = this.#knex(this.#sitesOf(divided).as('shared')).select(
      'cost_id',
      'site_id',
      this.#knex.raw('count(*) over (partition by cost_id) as bearers'),
      this.#knex.raw('row_number() over (partition by cost_id order by site_id) as place'),
    );
    const rows = await longRead(this.#knex(numbered.as('numbered')))
      .join('sites', 'sites.id', 'numbered.site_id')
      .where(bearers)
      .select<{ cost_id: number; site_id: number; bearers: number | string; place: number | string }[]>(
        'cost_id',
        'site_id',
        'bearers',
        'place',
      );
    return new Map(
      rows.map((row) => [
        costSiteKeyOf(row.cost_id, row.site_id),
        { sites: Number(row.bearers), before: Number(row.place) - 1 },
      ]),
    );
  }

  #sharesOf(bearers: ShareFilter, costIds?: readonly number[]): Knex.QueryBuilder {
    const targets = (kind: string): Knex.QueryBuilder => {
      const query = this.#knex('cost_targets').where('cost_targets.kind', kind).where(bearers);
      return costIds ? query.whereIn('cost_targets.cost_id', [...costIds]) : query;
    };
    const columns = ['cost_targets.cost_id', 'sites.id as site_id'] as const;
    return targets('site')
      .join('sites', 'sites.id', 'cost_targets.target_id')
      .select(...columns)
      .union([
        targets('client')
          .join('sites', 'sites.client_id', 'cost_targets.target_id')
          .select(...columns),
        targets('tag')
          .join('site_tags', 'site_tags.tag_id', 'cost_targets.target_id')
          .join('sites', 'sites.id', 'site_tags.site_id')
          .select(...columns),
      ]);
  }

  #sitesOf(costs: Knex.QueryBuilder): Knex.QueryBuilder {
    const targets = (kind: string): Knex.QueryBuilder =>
      this.#knex('cost_targets')
        .join(costs.clone().as('divided'), 'divided.cost_id', 'cost_targets.cost_id')
        .where('cost_targets.kind', kind);
    return targets('site')
      .join('sites', 'sites.id', 'cost_targets.target_id')
      .select('cost_targets.cost_id', 'sites.id as site_id')
      .union([
        targets('client')
          .join('sites', 'sites.client_id', 'cost_targets.target_id')
          .select('cost_targets.cost_id', 'sites.id as site_id'),
        targets('tag')
          .join('site_tags', 'site_tags.tag_id', 'cost_targets.target_id')
          .select('cost_targets.cost_id', 'site_tags.site_id'),
      ]);
  }
}
