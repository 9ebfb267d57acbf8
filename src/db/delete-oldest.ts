import type { Knex } from 'knex';

/**
 * Deletes rows from before a time, the oldest first and so many at most, and says how many. `rows` begins a query of
 * those that may go.
 */
export async function deleteOldest(
  rows: () => Knex.QueryBuilder,
  { column, before, most }: { column: string; before: number; most: number },
): Promise<number> {
  const ids = await rows().where(column, '<', before).orderBy(column).limit(most).pluck<number[]>('id');
  return ids.length === 0 ? 0 : rows().whereIn('id', ids).delete();
}
