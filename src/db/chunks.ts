const ROWS_A_STATEMENT = 100;
/** A statement takes more of what is one value each. */
export const IDS_A_STATEMENT = 500;

/** Parts of a list, each as long as one statement takes: well below what either database binds. */
export function chunks<T>(items: readonly T[], size = ROWS_A_STATEMENT): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
