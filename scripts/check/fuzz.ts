/**
 * Sends random requests that fit the contract to a service with a simulated fleet.
 *
 *   npx tsx scripts/check/fuzz.ts --requests 100000 --seed 1
 *
 * Stops at the first response that breaks the contract, and prints the smallest such request as a curl command.
 */
import { parseArgs } from 'node:util';
import { FuzzWorld } from '../../test/fuzz/fuzz-world.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const requests = Number(values.requests);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!Number.isInteger(requests) || requests < 1 || !Number.isInteger(seed))
  throw new Error('--requests and --seed are whole numbers.');

const fuzz = await FuzzWorld.start('refuse');
try {
  const { statuses, seconds } = await fuzz.run(requests, seed);
  for (const [operation, counts] of [...statuses].sort())
    console.log(
      operation.padEnd(40),
      [...counts]
        .sort()
        .map(([status, times]) => `${status}: ${times}`)
        .join('  '),
    );
  console.log(`${requests} requests in ${seconds.toFixed(1)} s with seed ${seed}: no fault.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await fuzz.close();
}
