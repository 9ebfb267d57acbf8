import assert from 'node:assert/strict';
import { readClientReport, readReport } from '../../support/pro-reports.ts';
import { updateSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Number of sites whose data is read together. */
const PART = 20;

describe('reports about clients with many sites', () => {
  let world: World;
  let client: number;
  const readAll = () => readClientReport(world, client, { segments: 'website,plugins,pending,uptime' });

  before(async () => {
    world = await startWorld({ sites: PART + 1 });
    client = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Harbour' } })).body.data.id;
    for (let index = 0; index < PART; index++) await updateSite(world, world.siteId(index), { client_id: client });
  });
  after(() => world.close());

  it('when the sites are read in parts, then each has its own data, and a part has its own statements', async () => {
    const ofOnePart = await countStatements(world, readAll);
    await updateSite(world, world.siteId(PART), { client_id: client });
    const ofTwoParts = await countStatements(world, readAll);
    assert.ok(ofTwoParts > ofOnePart && ofTwoParts <= 2 * ofOnePart, `${ofOnePart}, then ${ofTwoParts}`);
    const { sites } = (await readAll()).data;
    assert.equal(sites.length, PART + 1);
    for (const index of [0, PART - 1, PART]) {
      const { segments } = sites.find(({ site }: { site: { id: number } }) => site.id === world.siteId(index));
      for (const name of ['website', 'plugins', 'pending', 'uptime']) {
        const { made_at: _made, ...single } = await readReport(world, world.siteId(index), name);
        const { made_at: _madeOf, ...ofClient } = segments[name];
        assert.deepEqual(ofClient, single, `${name} of site ${index}`);
      }
    }
    assert.equal(
      new Set(sites.map(({ segments }: { segments: { website: { made_at: string } } }) => segments.website.made_at))
        .size,
      1,
    );
  });
});
