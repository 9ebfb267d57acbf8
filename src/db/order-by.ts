import type { ListOrder, SortDirection } from '../shared/list-order.ts';

export interface OrderedColumn {
  column: string;
  order: SortDirection;
}

/**
 * Returns the columns of the sort field `by`, all in the direction of the list. `columns` has the columns of each sort
 * field. The last column of a field must be unique, so that rows with equal values always have the same order.
 */
export const orderByOf = <By extends string>(
  columns: Readonly<Record<By, readonly string[]>>,
  { by, direction }: ListOrder<By>,
): OrderedColumn[] => columns[by].map((column) => ({ column, order: direction }));

export const orderSqlOf = (columns: readonly OrderedColumn[]): string =>
  columns.map(({ column, order }) => `${column} ${order}`).join(', ');
