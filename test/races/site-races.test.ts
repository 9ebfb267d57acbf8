import { SiteRaces } from './site-races.ts';

const ROUNDS = 80;

/** Always the same rounds. `npx tsx scripts/check/site-races.ts` runs more, and other seeds. */
describe('several operations on one site at once', () => {
  let races: SiteRaces;
  before(async () => {
    races = await SiteRaces.start();
  });
  after(() => races.close());

  it('when all is quiet, then the record says what the child says', async () => {
    await races.run(ROUNDS, Number(process.env['RACE_SEED'] ?? 1));
  });
});
