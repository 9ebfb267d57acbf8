import type { Knex } from 'knex';
import type { Page, PageRequest } from '../shared/paging.ts';
import { countRows } from './count-rows.ts';
import { longRead } from './long-read.ts';
import type { OrderedColumn } from './order-by.ts';
import { limitToPage } from './page-limit.ts';

interface CountedPageQuery<Row, Item> {
  /** Returns a new query for all rows, without an order. Called for the count and for the rows. */
  chosen: () => Knex.QueryBuilder;
  orderBy: readonly (string | OrderedColumn)[];
  columns: readonly (string | Knex.Raw)[];
  toItems: (rows: Row[]) => Item[] | Promise<Item[]>;
  /** True if the request does not bound the rows that the statements read (`longRead`). */
  isLong?: boolean;
  /** Returns the total, for example from a cache. Default: `count`, which counts the rows in the database. */
  total?: ((count: () => Promise<number>) => Promise<number>) | undefined;
}

export async function readCountedPage<Row, Item>(
  list: CountedPageQuery<Row, Item>,
  request: PageRequest,
): Promise<Page<Item>> {
  const chosen = (): Knex.QueryBuilder => (list.isLong ? longRead(list.chosen()) : list.chosen());
  const count = (): Promise<number> => countRows(chosen());
  const [total, rows] = await Promise.all([
    list.total?.(count) ?? count(),
    chosen()
      .orderBy([...list.orderBy])
      .modify(limitToPage, request)
      .select(...list.columns) as Promise<Row[]>,
  ]);
  return { items: await list.toItems(rows), page: request.page, perPage: request.perPage, total };
}
