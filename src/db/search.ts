import type { Knex } from 'knex';
import { searchKeyOf } from '../shared/text.ts';
import { containsCondition, likePattern } from './dialect.ts';
import { longRead } from './long-read.ts';

/**
 * Limits a query to rows with this text in one of the columns, ignoring case. A blank text has no effect. The columns
 * must contain results of `searchKeyOf` or `userNameKeyOf`. For other columns, use `whereTextContains`. No index finds
 * such rows, so the query becomes a long read.
 */
export function whereContains(query: Knex.QueryBuilder, search: string | undefined, ...columns: string[]): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  const pattern = likePattern(text);
  void longRead(query).where((either) => {
    for (const column of columns) void either.orWhereRaw(`${column} like ? escape '!'`, [pattern]);
  });
}

export function whereTextContains(query: Knex.QueryBuilder, search: string | undefined, ...columns: string[]): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  void longRead(query).where((either) => {
    for (const column of columns) orTextContains(either, column, text);
  });
}

/** `text` is a result of `searchKeyOf`. */
export function orTextContains(either: Knex.QueryBuilder, column: string, text: string): void {
  void either.orWhereRaw(...containsCondition(either, column, text));
}
