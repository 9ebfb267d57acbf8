import { groupBy } from '../../shared/group-by.ts';

/** Splits items into rounds with at most one item per site. The items of a site keep their order. */
export function inRounds<Item>(items: readonly Item[], siteIdOf: (item: Item) => number): Item[][] {
  const rounds: Item[][] = [];
  for (const ofSite of groupBy(items, siteIdOf).values())
    for (const [round, item] of ofSite.entries()) (rounds[round] ??= []).push(item);
  return rounds;
}
