import assert from 'node:assert/strict';
import { withoutModule } from '../../support/modules.ts';
import {
  ALPHA,
  BETA,
  removeItemsWithUpdates,
  upgradeCallsOf,
  releaseUpdates,
  type UpdatesResponse,
} from '../../support/updates.ts';
import {
  setPluginVersion,
  FeedServer,
  listExposures,
  osvRecord,
  useOsvFeeds,
  refreshFeeds,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('updates of vulnerable plugins', () => {
  let world: World;
  let feed: FeedServer;

  beforeEach(async () => {
    feed = await FeedServer.start();
    feed.content = [osvRecord('alpha', '9.1')];
    world = await startWorld({ sites: 2, connect: 0 });
    for (let index = 0; index < 2; index++) {
      await world.freshSite(removeItemsWithUpdates);
      releaseUpdates(world.site(index), { plugins: [ALPHA, BETA], core: '9.0' });
    }
    await setPluginVersion(world, 0, ALPHA, '5.3');
    await setPluginVersion(world, 1, ALPHA, '9.1');
    world.site(1).requests.length = 0;
    world.site(0).requests.length = 0;
  });
  afterEach(async () => {
    await world.close();
    await feed.close();
  });

  const expose = async (): Promise<void> => {
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
    assert.equal((await listExposures(world)).total, 1);
  };

  it('when run-updates-v1 has only_vulnerable, then only vulnerable plugins are updated, on their sites', async () => {
    await expose();
    const { updated, summary } = await world.ability<UpdatesResponse>('run-updates-v1', { only_vulnerable: true });
    assert.deepEqual(
      (updated as Record<string, string>[]).map(({ slug }) => slug),
      [ALPHA],
    );
    assert.equal(summary['sites_updated'], 1);
    assert.deepEqual(upgradeCallsOf(world.site(1)), []);
    const ended = (await listExposures(world, '&state=any')).data;
    assert.deepEqual([ended[0].ending, ended[0].ended_by_version], ['updated', '9.1']);
  });

  it('when v2 routes have only_vulnerable, then only vulnerable plugins are updated', async () => {
    await expose();
    const id = world.siteId(0);
    const slugsOf = async (path: string, body: object): Promise<string[]> =>
      (await world.request('POST', `/api/v2/updates/${path}`, { body })).body.data.map(
        ({ slug }: { slug: string }) => slug,
      );
    assert.deepEqual(await slugsOf(`${id}/update/plugins`, { slug: BETA, only_vulnerable: true }), []);
    assert.deepEqual(await slugsOf(`${id}/update/themes`, { only_vulnerable: true }), []);
    assert.deepEqual(await slugsOf(`${id}/update`, { only_vulnerable: true }), [ALPHA]);
    assert.deepEqual(await slugsOf('update', { only_vulnerable: true }), []);
  });

  it('when no vulnerability is known, then nothing is updated; with the module off, calls fail', async () => {
    const { updated } = await world.ability<UpdatesResponse>('run-updates-v1', { only_vulnerable: true });
    assert.deepEqual(updated, []);
    await expose();
    await withoutModule(world, 'vulnerabilities', async () => {
      const refused = await world.ability<UpdatesResponse>(
        'run-updates-v1',
        { only_vulnerable: true },
        { expect: 404 },
      );
      assert.equal(refused.code, 'svc_module_not_available');
      const path = `/api/v2/updates/${world.siteId(0)}/update`;
      const { body } = await world.request('POST', path, { body: { only_vulnerable: true }, expect: 404 });
      assert.equal(body.code, 'svc_module_not_available');
    });
    assert.deepEqual(upgradeCallsOf(world.site(0)), []);
  });
});
