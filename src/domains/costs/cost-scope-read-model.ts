import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';
import type { TargetKind } from './cost.ts';

/**
 * Returns the targets of costs that are in the scope, as `cost_targets`. A client or a tag is in the scope if one of
 * its sites is.
 */
export function costTargetsInScope(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  return isLimited(scope) ? knex(targetsInScope(knex, scope).as('cost_targets')) : knex('cost_targets');
}

export function whereCostInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope): void {
  if (!isLimited(scope)) return;
  const costs = knex(targetsInScope(knex, scope).as('targets')).distinct('targets.cost_id');
  void query.join(costs.as('in_scope'), 'in_scope.cost_id', 'costs.id');
}

export function countTargetsInScope(
  knex: Knex,
  scope: SiteScope,
  kind: TargetKind,
  ids: readonly number[],
): Promise<number> {
  const table = kind === 'tag' ? 'site_tags' : 'sites';
  const column = { site: 'sites.id', client: 'sites.client_id', tag: 'site_tags.tag_id' }[kind];
  const query = knex(table).whereIn(column, [...ids]);
  whereInScope(knex, query, scope, kind === 'tag' ? 'site_tags.site_id' : 'sites.id');
  return countRows(query, column);
}

function targetsInScope(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  const targets = (kind: string): Knex.QueryBuilder =>
    knex('cost_targets')
      .where('cost_targets.kind', kind)
      .select('cost_targets.cost_id', 'cost_targets.kind', 'cost_targets.target_id');
  const [sites, clients, tags] = [
    targets('site'),
    targets('client').join('sites', 'sites.client_id', 'cost_targets.target_id'),
    targets('tag').join('site_tags', 'site_tags.tag_id', 'cost_targets.target_id'),
  ];
  whereInScope(knex, sites, scope, 'cost_targets.target_id');
  whereInScope(knex, clients, scope, 'sites.id');
  whereInScope(knex, tags, scope, 'site_tags.site_id');
  return sites.union([clients, tags]);
}
