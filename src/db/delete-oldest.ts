import type { Knex } from 'knex';

export async function deleteOldest(
  rows: () => Knex.QueryBuilder,
  { column, before, most }: { column: string; before: number; most: number },
): Promise<number> {
  const ids = await rows().where(column, '<', before).orderBy(column).limit(most).pluck<number[]>('id');
  return ids.length === 0 ? 0 : rows().whereIn('id', ids).delete();
}
