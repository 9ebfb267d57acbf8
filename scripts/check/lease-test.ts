/**
 * Disturbs two services that share a MariaDB while they update a fleet, and checks with the record of the sites that
 * no update was sent twice and none is lost. Each round has one random fault: a process is stopped for longer than its
 * lease (SIGSTOP, then SIGCONT) or killed, the clock of a process differs or steps, or the database freezes.
 *
 *   npx tsx scripts/check/lease-test.ts [--rounds 50] [--sites 205] [--seed 1] [--fault stop]
 *
 * Needs more than 200 sites, because only such calls are jobs that both services share, and an installed MariaDB.
 */
import { parseArgs } from 'node:util';
import { DisturbedServices, FAULTS } from './lease-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    sites: { type: 'string', default: '205' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string' },
  },
});
const sites = Number(values.sites);
if (!(sites > 200)) throw new Error('--sites must be above 200: calls over fewer sites are not shared.');
const wanted = FAULTS.find((fault) => fault === values.fault);
if (values.fault !== undefined && !wanted) throw new Error(`--fault must be one of: ${FAULTS.join(', ')}.`);

const services = await DisturbedServices.start({ sites, seed: Number(values.seed) });
let failed = 0;
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    const { fault, problems } = await services.runRound(round, wanted);
    if (problems.length > 0) failed++;
    console.log(`round ${round}, ${fault}: ${problems.length > 0 ? problems.join('; ') : 'ok'}`);
  }
} finally {
  await services.close();
}
console.log(`${Number(values.rounds) - failed} passed, ${failed} failed; faults: ${FAULTS.join(', ')}`);
process.exitCode = failed === 0 ? 0 : 1;
