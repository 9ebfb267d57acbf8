export type SortDirection = 'asc' | 'desc';

export interface ListOrder<By extends string> {
  by: By;
  direction: SortDirection;
}

export const oppositeOf = (direction: SortDirection): SortDirection => (direction === 'asc' ? 'desc' : 'asc');
