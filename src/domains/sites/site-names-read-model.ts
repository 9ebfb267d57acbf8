import type { Knex } from 'knex';

export interface SiteName {
  id: number;
  url: string;
  name: string;
}

export async function readSiteNames(db: Knex, ids: readonly number[]): Promise<Map<number, SiteName>> {
  const rows: SiteName[] = await db('sites')
    .whereIn('id', [...new Set(ids)])
    .select('id', 'url', 'name');
  return new Map(rows.map((row) => [row.id, row]));
}
