/** A page that was asked for, counted from 1. */
export interface PageRequest {
  page: number;
  perPage: number;
}

/** One page of a list with the exact number of all its items. */
export interface Page<T> {
  items: T[];
  page: number;
  perPage: number;
  total: number;
}

/** Far behind every list at most: databases take no offset that is larger than their integers. */
export function offsetOf({ page, perPage }: PageRequest): number {
  return Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
}

/** A page of a list that is at hand as a whole. */
export const pageOf = <T>(items: readonly T[], request: PageRequest): Page<T> => ({
  items: items.slice(offsetOf(request), offsetOf(request) + request.perPage),
  ...request,
  total: items.length,
});

export function pageCount(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage));
}
