import type { Knex } from 'knex';
import { searchKeyOf } from '../shared/text.ts';
import { likePattern } from './dialect.ts';

/**
 * Limits a query to rows with this text in one of the columns, ignoring case. A blank text has no effect. The columns
 * must be in lower case, or be converted: `lower(slug)`.
 */
export function whereContains(query: Knex.QueryBuilder, search: string | undefined, ...columns: string[]): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  const pattern = likePattern(text);
  void query.where((either) => {
    for (const column of columns) void either.orWhereRaw(`${column} like ? escape '!'`, [pattern]);
  });
}
