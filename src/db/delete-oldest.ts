import type { Knex } from 'knex';

/**
 * Deletes up to `most` rows that are older than `before`, the oldest first, and returns their number. `rows` starts a
 * query for the rows that may be deleted.
 */
export async function deleteOldest(
  rows: () => Knex.QueryBuilder,
  { column, before, most }: { column: string; before: number; most: number },
): Promise<number> {
  const ids = await rows().where(column, '<', before).orderBy(column).limit(most).pluck<number[]>('id');
  return ids.length === 0 ? 0 : rows().whereIn('id', ids).delete();
}
