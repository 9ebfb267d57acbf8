import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from './site-scope-read-model.ts';

export function clientsInScope(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  return sitesOfClients(knex, scope).distinct('sites.client_id');
}

/**
 * Restricts a query to rows whose `shown_client_id` is null or is a client with a site in the scope. A deleted client
 * has no site.
 */
export function whereShownClientInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope, table: string): void {
  const column = `${table}.shown_client_id`;
  void query
    .leftJoin(clientsInScope(knex, scope).as('shown_client'), 'shown_client.client_id', column)
    .where((shown) => shown.whereNull(column).orWhereNotNull('shown_client.client_id'));
}

/** Selects, as `client_id`, the clients whose sites are all in the scope. Leaves out clients without sites. */
export function clientsWhollyInScope(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  const counted = sitesOfClients(knex, scope)
    .groupBy('sites.client_id')
    .select('sites.client_id', knex.raw('count(*) as sites_seen'));
  return knex(counted.as('owners'))
    .whereRaw('owners.sites_seen = (select count(*) from sites where sites.client_id = owners.client_id)')
    .select('owners.client_id');
}

export async function countSitesOutside(knex: Knex, scope: SiteScope, clientIds: readonly number[]): Promise<number> {
  if (!isLimited(scope)) return 0;
  const inside = sitesOfClients(knex, scope).whereIn('sites.client_id', [...clientIds]);
  const all = knex('sites').whereIn('client_id', [...clientIds]);
  return (await countRows(all)) - (await countRows(inside));
}

function sitesOfClients(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  const sites = knex('sites').whereNotNull('sites.client_id');
  whereInScope(knex, sites, scope);
  return sites;
}
