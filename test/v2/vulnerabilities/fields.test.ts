import assert from 'node:assert/strict';
import { emptyFields } from '../../support/empty-fields.ts';
import { ManualClock } from '../../support/schedules.ts';
import { ALPHA, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  setPluginVersion,
  FeedServer,
  listExposures,
  listVulnerabilities,
  osvRecord,
  useOsvFeeds,
  useWordfenceFeed,
  refreshFeeds,
  summaryOf,
  wordfenceFeed,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('vulnerability fields', () => {
  const clock = new ManualClock('2026-11-22T08:00:00Z');
  let world: World;
  let wordfence: FeedServer;
  let osv: FeedServer;
  before(async () => {
    [wordfence, osv] = await Promise.all([FeedServer.start(), FeedServer.start()]);
    world = await startWorld({ sites: 1, connect: 0, overrides: { clock } });
    await world.freshSite(removeItemsWithUpdates);
    await setPluginVersion(world, 0, ALPHA, '5.3');
    const theme = [...world.site(0).state.themes.keys()][0] ?? assert.fail();
    const all = { upTo: '99', patched: ['100'] };
    wordfence.content = wordfenceFeed(
      { slug: 'alpha', ranges: [{ from: '5.0', to: '5.3' }], patched: ['5.4'], score: 9.8 },
      { ...all, slug: theme, type: 'theme', score: 7.5 },
      { ...all, slug: 'wordpress', type: 'core', score: 5 },
      { ...all, slug: 'beta', score: 2.1 },
      { ...all, slug: 'gamma', score: null },
    );
    osv.content = [osvRecord('gamma', '99')];
    await useWordfenceFeed(world, wordfence);
    await useOsvFeeds(world, osv.url);
    await refreshFeeds(world);
  });
  after(async () => {
    await world.close();
    await Promise.all([wordfence.close(), osv.close()]);
  });

  it('when sites have exposures of every severity, then the summary has a number for each', async () => {
    const { source, severities } = await summaryOf(world);
    assert.equal(source, 'several');
    assert.deepEqual(emptyFields(severities), []);
    const counts = Object.values(severities as Record<string, { exposures: number }>).map(({ exposures }) => exposures);
    assert.deepEqual(counts, [2, 1, 1, 1, 1]);
  });

  it('when exposures have ended and a feed has failed, then every field of every read is filled', async () => {
    clock.set('2026-11-22T12:00:00Z');
    world.site(0).performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: '5.4' });
    await world.ability('sync-sites-v1');
    await setPluginVersion(world, 0, ALPHA, '5.4');
    osv.content = [osvRecord('mainwp-child', '99'), osvRecord('beta', '99', { id: 'OSV-other' }), 7];
    await refreshFeeds(world);
    wordfence.respond = (_request, response) => void response.writeHead(503).end();
    await refreshFeeds(world);
    const { feeds } = await summaryOf(world);
    assert.deepEqual(emptyFields(feeds), []);
    const site = world.siteId(0);
    const { body: ofSite } = await world.request('GET', `/api/v2/sites/${site}/vulnerabilities?state=any`);
    const { data: list, copyrights } = await listVulnerabilities(world, '&state=any');
    const { data: exposures } = await listExposures(world, '&state=any');
    const records = [];
    for (const { id } of list) records.push((await world.request('GET', `/api/v2/vulnerabilities/${id}`)).body.data);
    for (const read of [list, records, exposures, ofSite.data, copyrights]) assert.deepEqual(emptyFields(read), []);
    const kinds = new Set(records.map(({ feed, withdrawn_at }) => `${feed} ${withdrawn_at}`));
    assert.ok(kinds.has('osv 2026-11-22T12:00:00Z'), [...kinds].join());
  });
});
