import type { World } from './world.ts';

/** SQL statements of a call; the fewest of some tries, since the first may compute what the others find kept. */
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

/** As `statementsOf`, when every total that is kept must be counted anew. */
export const countStatementsUncached = (world: World, work: () => Promise<unknown>): Promise<number> =>
  countStatements(world, work, () => world.container.database.knex('revisions').increment('value', 1));
