/** Maximum length of a list in a query in characters. Many servers and proxies reject a URL from 8,000 characters. */
const LONGEST_LIST = 4_000;
/** Maximum number of IDs that `include` of the service accepts. */
const MOST_ITEMS = 500;

/** Splits a list into parts that each fit into the query of one request. Duplicates are removed. */
export function splitForQuery<Item extends string | number>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  let length = LONGEST_LIST;
  for (const item of new Set(items)) {
    const added = encodeURIComponent(`${item},`).length;
    const part = parts.at(-1);
    if (part && part.length < MOST_ITEMS && length + added <= LONGEST_LIST) {
      part.push(item);
      length += added;
    } else {
      parts.push([item]);
      length = added;
    }
  }
  return parts;
}
