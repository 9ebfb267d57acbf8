import type { Knex } from 'knex';

export async function readSiteNames(db: Knex, ids: readonly number[]) {
  const rows = await db('sites')
    .whereIn('id', [...ids])
    .select<{ id: number; url: string; name: string }[]>('id', 'url', 'name');
  return new Map(rows.map((row) => [row.id, row]));
}
