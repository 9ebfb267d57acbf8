import type { ListOrder, SortDirection } from '../shared/list-order.ts';

export interface OrderedColumn {
  column: string;
  order: SortDirection;
}

/** `columns` are the columns by field, all in the same direction. The last column of a field must be unique. */
export const orderByOf = <By extends string>(
  columns: Readonly<Record<By, readonly string[]>>,
  { by, direction }: ListOrder<By>,
): OrderedColumn[] => columns[by].map((column) => ({ column, order: direction }));
