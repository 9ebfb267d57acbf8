import type { Knex } from 'knex';
import { searchKeyOf } from '../shared/text.ts';
import { likePattern } from './dialect.ts';

/**
 * Leaves the rows with this text in one of the columns, in any case; a blank one leaves all. The columns hold lower
 * case, or are made so: `lower(slug)`.
 */
export function whereContains(query: Knex.QueryBuilder, search: string | undefined, ...columns: string[]): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  const pattern = likePattern(text);
  void query.where((either) => {
    for (const column of columns) void either.orWhereRaw(`${column} like ? escape '!'`, [pattern]);
  });
}
