import assert from 'node:assert/strict';
import { DisturbedServices } from '../../scripts/check/lease-rounds.ts';
import { mariadbIsInstalled } from '../../scripts/support/private-mariadb.ts';
import { builtEntry } from '../support/built-entry.ts';
import { sharedServer } from '../support/service-fleet.ts';

/** A round takes 11 s of processor time, so these take less than a minute. `scripts/check/lease-test.ts` runs 50. */
const ROUNDS = 5;

(sharedServer() && mariadbIsInstalled() ? describe : describe.skip)('two services with random faults', function () {
  this.timeout(300_000);
  let services: DisturbedServices;
  const seed = Math.floor(Math.random() * 2 ** 32);
  before(async () => {
    services = await DisturbedServices.start({ sites: 205, seed, entry: await builtEntry('main') });
  });
  after(() => services.close());

  for (let round = 1; round <= ROUNDS; round++)
    it(`when a fault happens during updates, then each update is sent once and has a result (round ${round})`, async () => {
      const { fault, problems } = await services.runRound(round);
      assert.deepEqual(problems, [], `${fault}, seed ${seed}`);
    });
});
