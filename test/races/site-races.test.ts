import { SiteRaces } from './site-races.ts';

const ROUNDS = 80;

/** `npx tsx scripts/check/site-races.ts` runs more rounds, and repeats a seed. */
describe('several operations on one site at once', () => {
  let races: SiteRaces;
  before(async () => {
    races = await SiteRaces.start();
  });
  after(() => races.close());

  it('when all is quiet, then the record says what the child says', async () => {
    await races.run(ROUNDS, Number(process.env['RACE_SEED'] ?? Date.now() % 2 ** 31));
  });
});
