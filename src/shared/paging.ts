/** Page numbers start at 1. */
export interface PageRequest {
  page: number;
  perPage: number;
}

export interface Page<T> {
  items: T[];
  page: number;
  perPage: number;
  total: number;
}

/** Returns the SQL offset. Limited because databases reject an offset that exceeds their integer type. */
export function offsetOf({ page, perPage }: PageRequest): number {
  return Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
}

export const pageOf = <T>(items: readonly T[], request: PageRequest): Page<T> => ({
  items: items.slice(offsetOf(request), offsetOf(request) + request.perPage),
  ...request,
  total: items.length,
});

export function pageCount(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage));
}
