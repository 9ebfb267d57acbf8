/** The first items of a list that is read a page at a time. */
export async function taken<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}
