import assert from 'node:assert/strict';
import { createTag } from '../../support/tags.ts';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates, upgradeCallsOf } from '../../support/updates.ts';
import { editSettings, ManualClock, runDueAt } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const SITES = 3;

describe('an update with a fatal error', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    const overrides = { clock, tickMs: null, deadlines: { pageAgainMs: 5, lookAgainMs: [5] } };
    world = await startWorld({ sites: SITES, connect: 0, overrides });
    for (const [index, site] of world.fleet.sites.entries()) {
      removeItemsWithUpdates(site);
      for (const plugin of [ALPHA, BETA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
      releaseUpdates(site, { plugins: [ALPHA, BETA] });
      await world.connect(index);
    }
  });
  afterEach(() => world.close());

  const markOf = async (index: number) =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(index)}`)).body.data.broken_by_update;
  const update = (body: object = {}) =>
    world.request('POST', `/api/v2/updates/${world.siteId(0)}/update/plugins`, { body });

  it('when no check is on, then the site is marked and no further update is sent', async () => {
    world.site(0).defects.breaking.add(ALPHA);
    const { health } = (await update()).body;
    assert.equal(health.state, 'broken');
    const mark = await markOf(0);
    assert.deepEqual([mark.status_after, mark.updates[0].slug], [500, ALPHA]);
    assert.ok(upgradeCallsOf(world.site(0)).length <= 2);
    assert.equal(world.site(0).state.plugins.get(BETA)?.version, '1.0.0');
  });

  for (const pageCache of ['by-query', 'any-query'] as const)
    it(`when a page cache (${pageCache}) serves the home page, then the ring is broken all the same`, async () => {
      await createTag(world, 'canary', world.siteId(0));
      for (const site of world.fleet.sites) Object.assign(site.defects, { pageCache });
      for (const site of world.fleet.sites) site.defects.breaking.add(ALPHA);
      const { body } = await world.request('POST', '/api/v2/updates/update', {
        body: { type: 'plugins', rings: ['canary'] },
      });
      const { data, items } = await world.finishedJob(body.job_id);
      assert.deepEqual(
        data.rings.map(({ state, proven, broken }: Record<string, unknown>) => [state, proven, broken]),
        [
          ['broken', 0, 1],
          ['not_begun', 0, 0],
        ],
      );
      assert.equal(data.status, 'failed');
      assert.equal(items[0].result?.health?.state ?? items[1].result?.health?.state, 'broken');
      assert.ok(await markOf(0));
      assert.equal(await markOf(1), null);
    });

  it('when a scheduled run has no rings, then it looks at the sites although check_http_response is off', async () => {
    await syncSites(world);
    await editSettings(world, 'general', {
      plugin_automatic_daily_update: 1,
      time_auto_update: '3:00',
      delay_autoupdate: 0,
    });
    world.site(1).defects.breakingPage.set(ALPHA, 404);
    await runDueAt(world, clock, 'auto-updates', '2026-11-22T08:00:00Z');
    const ids = await runDueAt(world, clock, 'auto-updates', '2026-11-23T03:00:00Z');
    await Promise.all(ids.filter((id) => id.startsWith('update_')).map((id) => world.finishedJob(id)));
    assert.equal((await markOf(1)).status_after, 404);
    assert.equal(await markOf(0), null);
  });
});
