import type { Knex } from 'knex';
import { isMysql } from '../../db/dialect.ts';
import type { SiteLimit, SiteScope } from '../../shared/site-scope.ts';

/**
 * Restricts a query to the sites of the scope. `column` has the ID of the site. Each limit is a list of IDs, which the
 * database builds once. MariaDB would build a subquery in `in` for each row, so there the list is joined. SQLite may
 * read a joined list from start to end for each row, so there the list is a subquery.
 */
export function whereInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope, column = 'sites.id'): void {
  for (const [index, limit] of scope.limits.entries()) {
    const ids = idsWithin(knex, limit);
    if (isMysql(knex)) void query.join(ids.as(`scope_${index}`), `scope_${index}.id`, column);
    else void query.whereIn(column, ids);
  }
}

export async function isInScope(knex: Knex, scope: SiteScope, siteId: number): Promise<boolean> {
  const query = knex('sites').where('sites.id', siteId);
  whereInScope(knex, query, scope);
  return (await query.first<{ id: number } | undefined>('sites.id')) !== undefined;
}

/**
 * Selects the ID of each site of a limit once: `union` without `all` removes duplicates. A kind (clients, tags or
 * sites) without entries adds no part to the union: with several parts, SQLite reads the index of all sites for a page.
 */
function idsWithin(knex: Knex, { clients, tags, sites }: SiteLimit): Knex.QueryBuilder {
  const parts: Knex.QueryBuilder[] = [];
  if (sites.length > 0)
    parts.push(
      knex('sites')
        .whereIn('id', [...sites])
        .select('id'),
    );
  if (clients.length > 0)
    parts.push(
      knex('sites')
        .whereIn('client_id', [...clients])
        .select('id'),
    );
  if (tags.length > 0)
    parts.push(
      knex('site_tags')
        .whereIn('tag_id', [...tags])
        .select('site_id as id'),
    );
  const [first = knex('sites').whereIn('id', []).select('id'), ...others] = parts;
  return others.length > 0 ? first.union(others) : first.distinct();
}
