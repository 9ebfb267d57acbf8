/**
 * Runs several operations on one site at once, with random delays, refusals and lost responses, and compares record,
 * change log, exposures and alerts with the child.
 *
 *   npx tsx scripts/check/site-races.ts --rounds 20000 --seed 1
 *
 * `--mariadb` runs on a private MariaDB, and `--services 2` with two instances of the service on it. Stops at the first
 * contradiction and prints its seed, which `--rounds 1 --seed <seed>` repeats.
 */
import { parseArgs } from 'node:util';
import { SiteRaces } from '../../test/races/site-races.ts';
import { startMariadb } from '../support/private-mariadb.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    mariadb: { type: 'boolean', default: false },
    services: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
  throw new Error('--rounds and --seed are whole numbers.');
const services = values.services === '2' ? 2 : 1;
if (services === 2 && !values.mariadb) throw new Error('Two services need --mariadb.');

const mariadb = values.mariadb ? await startMariadb() : null;
if (mariadb) process.env['TEST_DATABASE_URL'] = mariadb.url;
const races = await SiteRaces.start({ services });
try {
  await races.run(rounds, seed);
  console.log(`${rounds} rounds from seed ${seed}: no contradiction.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await races.close();
  await mariadb?.stop();
}
