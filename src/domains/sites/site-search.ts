import type { Knex } from 'knex';
import { likePattern } from '../../db/dialect.ts';
import { searchKeyOf } from '../../shared/text.ts';

export function searchSites(query: Knex.QueryBuilder, search: string | undefined): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  const pattern = likePattern(text);
  void query.where((either) => {
    void either.whereRaw(`sites.name_key like ? escape '!'`, [pattern]);
    // Addresses are ASCII, and MySQL refuses to compare an ASCII column with other characters.
    if (/^[ -~]*$/.test(pattern)) void either.orWhereRaw(`sites.url_key like ? escape '!'`, [pattern]);
  });
}
