import type { Knex } from 'knex';

export async function countRows(query: Knex.QueryBuilder, distinctColumn?: string): Promise<number> {
  const counted = distinctColumn === undefined ? query.count({ n: '*' }) : query.countDistinct({ n: distinctColumn });
  const [row] = (await counted) as { n: number | string }[];
  return Number(row?.n ?? 0);
}
