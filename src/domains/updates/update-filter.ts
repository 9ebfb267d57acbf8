import { type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { likePattern } from '../../db/dialect.ts';
import { orTextContains } from '../../db/search.ts';
import { whereInScope } from '../sites/index.ts';
import { searchKeyOf } from '../../shared/text.ts';

export interface UpdateFilter {
  scope: SiteScope;
  siteIds?: readonly number[];
  exceptSiteIds?: readonly number[];
  search?: string;
}

/** Returns a query for the rows that match the filter. The table must have the columns `site_id`, `slug` and `name`. */
export function filterUpdates(
  knex: Knex,
  table: string,
  { scope, siteIds, exceptSiteIds, search }: UpdateFilter,
): Knex.QueryBuilder {
  const query = knex(table);
  whereInScope(knex, query, scope, `${table}.site_id`);
  if (siteIds) void query.whereIn(`${table}.site_id`, siteIds);
  if (exceptSiteIds) void query.whereNotIn(`${table}.site_id`, exceptSiteIds);
  if (!search?.trim()) return query;
  const text = searchKeyOf(search);
  const pattern = likePattern(text);
  return longRead(query).where((either) => {
    for (const column of [`${table}.slug`, `${table}.name`]) orTextContains(either, column, text);
    void either.orWhereIn(`${table}.site_id`, (sites) => {
      void sites.select('id').from('sites').whereRaw(`name_key like ? escape '!'`, [pattern]);
      // Addresses are ASCII, and MySQL refuses to compare an ASCII column with other characters.
      if (/^[ -~]*$/.test(pattern)) void sites.orWhereRaw(`url_key like ? escape '!'`, [pattern]);
    });
  });
}
