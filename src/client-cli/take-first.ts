export async function takeFirst<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const firstItems: Item[] = [];
  for await (const item of items) {
    firstItems.push(item);
    if (firstItems.length >= limit) break;
  }
  return firstItems;
}
