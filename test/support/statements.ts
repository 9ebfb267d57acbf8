import type { World } from './world.ts';

/**
 * Returns the number of SQL statements of a call. It is the smallest of some attempts, because the first one can fill
 * caches.
 */
export async function countStatements(
  world: World,
  work: () => Promise<unknown>,
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  const counts: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    await prepare();
    counts.push(await world.countStatements(work));
  }
  return Math.min(...counts);
}

/** Like `countStatements`, but without cached totals. */
export const countStatementsUncached = (world: World, work: () => Promise<unknown>): Promise<number> =>
  countStatements(world, work, () => world.container.database.knex('revisions').increment('value', 1));
