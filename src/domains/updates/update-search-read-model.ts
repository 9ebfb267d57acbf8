import type { Knex } from 'knex';
import { likePattern } from '../../db/dialect.ts';
import { searchKeyOf } from '../../shared/text.ts';

/** What narrows lists of updates beside their types. */
export interface UpdateSearch {
  /** All sites without it. */
  siteIds?: readonly number[];
  exceptSiteIds?: readonly number[];
  /** Part of the slug or name of the item, or of the name or address of its site, in any case. */
  search?: string;
}

/** Narrows a query of a table that has `site_id`, `slug` and `name`. */
export function matching(
  query: Knex.QueryBuilder,
  { siteIds, exceptSiteIds, search }: UpdateSearch,
): Knex.QueryBuilder {
  if (siteIds) void query.whereIn('site_id', siteIds);
  if (exceptSiteIds) void query.whereNotIn('site_id', exceptSiteIds);
  if (!search?.trim()) return query;
  const pattern = likePattern(searchKeyOf(search));
  return query.where((either) => {
    void either
      .whereRaw(`lower(slug) like ? escape '!'`, [pattern])
      .orWhereRaw(`lower(name) like ? escape '!'`, [pattern]);
    void either.orWhereIn('site_id', (sites) => {
      void sites.select('id').from('sites').whereRaw(`name_key like ? escape '!'`, [pattern]);
      // Addresses are ASCII, and MySQL refuses to compare such a column with anything else.
      if (/^[ -~]*$/.test(pattern)) void sites.orWhereRaw(`url_key like ? escape '!'`, [pattern]);
    });
  });
}
