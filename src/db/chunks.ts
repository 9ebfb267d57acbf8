const ROWS_A_STATEMENT = 100;
/** Number of IDs per statement. An ID is a single bound value, so a statement can contain more IDs than rows. */
export const IDS_A_STATEMENT = 500;

/**
 * Splits a list into parts for one statement each. The sizes are far below the maximum number of bound values of both
 * databases.
 */
export function chunks<T>(items: readonly T[], size = ROWS_A_STATEMENT): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

/** Splits a list into parts whose sizes add up to at most `most`. An item that is larger than that has its own part. */
export function chunksBySize<T>(items: readonly T[], sizeOf: (item: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const last = parts.at(-1);
    if (last && size <= room && last.length < IDS_A_STATEMENT) last.push(item);
    else parts.push([item]);
    room = (parts.at(-1) === last ? room : most) - size;
  }
  return parts;
}
