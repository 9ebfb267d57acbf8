import type { Knex } from 'knex';
import { toDate, type Clock } from '../../shared/clock.ts';
import type { CostEntry, CostTotals } from './cost.ts';
import { frequencyOf, nextDue, shareOf, totalsOf } from './cost-rules.ts';
import type { CostRow } from './cost-repository.ts';

export interface SiteCosts extends CostTotals {
  costs: CostEntry[];
}

const COLUMNS = [
  'costs.id',
  'costs.name',
  'costs.type',
  'costs.license_type',
  'costs.price_minor',
  'costs.renewal_type',
  'costs.last_renewal',
] as const;
type BorneRow = Pick<
  CostRow,
  'id' | 'name' | 'type' | 'license_type' | 'price_minor' | 'renewal_type' | 'last_renewal'
>;

/** How many sites share a cost, and how many of them have a lower id than the site in question. */
interface Division {
  sites: number;
  before: number;
}

/** Reads what sites bear of the active costs, in two statements whatever there is. */
export class CostReadModel {
  readonly #knex: Knex;
  readonly #clock: Clock;

  constructor(knex: Knex, clock: Clock) {
    this.#knex = knex;
    this.#clock = clock;
  }

  async ofSite(siteId: number): Promise<SiteCosts> {
    const [rows, divisions] = await Promise.all([this.#borneBy(siteId), this.#divisions(siteId)]);
    const today = toDate(this.#clock.now());
    const costs = rows.map((row): CostEntry => {
      const frequency = frequencyOf({ type: row.type, renewalType: row.renewal_type });
      const cost = { licenseType: row.license_type, priceMinor: Number(row.price_minor) };
      return {
        id: row.id,
        name: row.name,
        amountMinor: shareOf(cost, divisions.get(row.id) ?? { sites: 1, before: 0 }),
        frequency,
        nextDue: nextDue(row.last_renewal, frequency, today),
      };
    });
    return { costs, ...totalsOf(costs) };
  }

  /** Costs of any status that name this very site. */
  async countOfSite(siteId: number): Promise<number> {
    const [row] = await this.#knex('cost_targets')
      .where({ kind: 'site', target_id: siteId })
      .count<{ n: number | string }[]>({ n: '*' });
    return Number(row?.n ?? 0);
  }

  async #borneBy(siteId: number): Promise<BorneRow[]> {
    return this.#knex('costs')
      .join(this.#costIdsOf(siteId).as('borne'), 'borne.cost_id', 'costs.id')
      .where('costs.status', 'active')
      .orderBy('costs.id')
      .select<BorneRow[]>(...COLUMNS);
  }

  /** Only costs that are paid once are divided. */
  async #divisions(siteId: number): Promise<Map<number, Division>> {
    const divided = this.#knex('costs')
      .join(this.#costIdsOf(siteId).as('borne'), 'borne.cost_id', 'costs.id')
      .where({ 'costs.status': 'active', 'costs.license_type': 'multi_site' })
      .select('costs.id as cost_id');
    const rows = await this.#knex(this.#sitesOf(divided).as('shared'))
      .groupBy('cost_id')
      .select<{ cost_id: number; sites: number | string; before_it: number | string }[]>(
        'cost_id',
        this.#knex.raw('count(*) as sites'),
        this.#knex.raw('sum(case when site_id < ? then 1 else 0 end) as before_it', [siteId]),
      );
    return new Map(rows.map((row) => [row.cost_id, { sites: Number(row.sites), before: Number(row.before_it) }]));
  }

  /** The costs that name a site, its client or one of its tags, each once. */
  #costIdsOf(siteId: number): Knex.QueryBuilder {
    return this.#knex('cost_targets')
      .join('sites', 'sites.id', 'cost_targets.target_id')
      .where({ 'cost_targets.kind': 'site', 'sites.id': siteId })
      .select('cost_id')
      .union([
        this.#knex('cost_targets')
          .join('sites', 'sites.client_id', 'cost_targets.target_id')
          .where({ 'cost_targets.kind': 'client', 'sites.id': siteId })
          .select('cost_id'),
        this.#knex('cost_targets')
          .join('site_tags', 'site_tags.tag_id', 'cost_targets.target_id')
          .where({ 'cost_targets.kind': 'tag', 'site_tags.site_id': siteId })
          .select('cost_id'),
      ]);
  }

  /** The sites of these costs, each once a cost; one that is gone bears nothing. */
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
