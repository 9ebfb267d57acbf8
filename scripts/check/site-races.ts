/**
 * Runs several operations on one site at once, with random delays, refusals and lost responses, and compares the record
 * with the child.
 *
 *   npx tsx scripts/check/site-races.ts --rounds 20000 --seed 1
 *
 * Stops at the first contradiction and prints its seed, which `--rounds 1 --seed <seed>` repeats.
 */
import { parseArgs } from 'node:util';
import { SiteRaces } from '../../test/races/site-races.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '2000' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
  throw new Error('--rounds and --seed are whole numbers.');

const races = await SiteRaces.start();
try {
  await races.run(rounds, seed);
  console.log(`${rounds} rounds from seed ${seed}: no contradiction.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await races.close();
}
