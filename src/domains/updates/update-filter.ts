import type { Knex } from 'knex';
import { likePattern } from '../../db/dialect.ts';
import { orTextContains } from '../../db/search.ts';
import { searchKeyOf } from '../../shared/text.ts';

export interface UpdateFilter {
  siteIds?: readonly number[];
  exceptSiteIds?: readonly number[];
  search?: string;
}

/** Filters a table that has the columns `site_id`, `slug` and `name`. */
export function filterUpdates(
  query: Knex.QueryBuilder,
  { siteIds, exceptSiteIds, search }: UpdateFilter,
): Knex.QueryBuilder {
  if (siteIds) void query.whereIn('site_id', siteIds);
  if (exceptSiteIds) void query.whereNotIn('site_id', exceptSiteIds);
  if (!search?.trim()) return query;
  const text = searchKeyOf(search);
  const pattern = likePattern(text);
  return query.where((either) => {
    for (const column of ['slug', 'name']) orTextContains(either, column, text);
    void either.orWhereIn('site_id', (sites) => {
      void sites.select('id').from('sites').whereRaw(`name_key like ? escape '!'`, [pattern]);
      // Addresses are ASCII, and MySQL refuses to compare an ASCII column with other characters.
      if (/^[ -~]*$/.test(pattern)) void sites.orWhereRaw(`url_key like ? escape '!'`, [pattern]);
    });
  });
}
