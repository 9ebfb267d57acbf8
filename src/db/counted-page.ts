import type { Knex } from 'knex';
import { offsetOf, type Page, type PageRequest } from '../shared/paging.ts';
import { countRows } from './count-rows.ts';

interface CountedPageQuery<Row, Item> {
  /** Returns a new query for all rows, without an order. Called twice, for the count and for the rows. */
  chosen: () => Knex.QueryBuilder;
  orderBy: readonly (string | { column: string; order: 'asc' | 'desc' })[];
  columns: readonly (string | Knex.Raw)[];
  toItems: (rows: Row[]) => Item[] | Promise<Item[]>;
}

export async function readCountedPage<Row, Item>(
  list: CountedPageQuery<Row, Item>,
  request: PageRequest,
): Promise<Page<Item>> {
  const [total, rows] = await Promise.all([
    countRows(list.chosen()),
    list
      .chosen()
      .orderBy([...list.orderBy])
      .offset(offsetOf(request))
      .limit(request.perPage)
      .select(...list.columns) as Promise<Row[]>,
  ]);
  return { items: await list.toItems(rows), page: request.page, perPage: request.perPage, total };
}
