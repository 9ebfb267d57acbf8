/**
 * Throws requests made from the contract at the service with a simulated fleet, for as long as is asked.
 *
 *   npm run fuzz -- --requests 100000 --seed 1
 *
 * It stops at the first answer that breaks a promise and prints the smallest request that does so as a curl line.
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
