import { sharedServer } from '../support/service-fleet.ts';
import { SiteRaces } from './site-races.ts';

/** Per database and number of processes. 20 to 80 seconds of processor time. */
const ROUNDS = 300;

/** Always the same rounds. `npx tsx scripts/check/site-races.ts` runs more, and other seeds. */
for (const services of sharedServer() ? ([1, 2] as const) : ([1] as const))
  describe(`several operations on one site at once, by ${services} of the service's processes`, function () {
    // A slow or busy machine needs five minutes for the rounds.
    this.timeout(15 * 60_000);
    let races: SiteRaces;
    before(async () => {
      races = await SiteRaces.start({ services });
    });
    after(() => races.close());

    it('when all is quiet, then the record says what the child says', async () => {
      await races.run(ROUNDS, Number(process.env['RACE_SEED'] ?? 1));
    });
  });
