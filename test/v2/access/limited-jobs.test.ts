import assert from 'node:assert/strict';
import { createTag } from '../../support/tags.ts';
import { ALPHA, releaseUpdates, removeItemsWithUpdates, startWorldWithoutUpdates } from '../../support/updates.ts';
import { syncSites } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

describe('v2 jobs of limited callers', () => {
  let world: World;
  before(async () => (world = await startWorldWithoutUpdates(2)));
  after(() => world.close());

  const addKey = async (limit: object) =>
    (await world.request('POST', '/api/v2/rest-api/add-key', { body: { scope: 'read_write', limit } })).body.data;

  for (const loss of ['the site leaves the limit', 'the key is disabled', 'the key is deleted', 'the key expires'])
    it(`when ${loss} while an earlier ring runs, then the job leaves the site alone`, async () => {
      const [first, second] = [world.siteId(0), world.siteId(1)];
      for (const index of [0, 1]) {
        removeItemsWithUpdates(world.site(index));
        world.site(index).performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
        releaseUpdates(world.site(index), { plugins: [ALPHA] });
      }
      await syncSites(world, first, second);
      const [tag, ring] = [await createTag(world, 'shops'), await createTag(world, 'canary')];
      const tagSite = (id: number, groupids: number[]) =>
        world.request('PUT', `/api/v2/sites/${id}/edit`, { body: { groupids } });
      await tagSite(first, [tag, ring]);
      await tagSite(second, [tag]);
      const key = await addKey({ tags: [tag] });
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      world.site(0).faultQueue.push({ kind: 'delay', ms: { until: opened }, function: 'upgradeplugintheme' });
      for (const site of world.fleet.sites) site.requests.length = 0;

      const asKey = { as: 'nobody' as const, headers: { authorization: `Bearer ${key.token}` } };
      const body = { type: 'plugins', rings: ['canary'] };
      const started = (await world.request('POST', '/api/v2/updates/update', { ...asKey, body })).body;
      await until(() => world.site(0).requests.some((each) => each.function === 'upgradeplugintheme'), 'ring 1 runs');
      if (loss === 'the site leaves the limit') await tagSite(second, []);
      else if (loss === 'the key is disabled')
        await world.request('PUT', `/api/v2/rest-api/edit-key/${key.id}`, { body: { active: false } });
      else if (loss === 'the key is deleted') await world.request('DELETE', `/api/v2/rest-api/delete-key/${key.id}`);
      else await world.container.database.knex('api_keys').where({ id: key.id }).update({ expires_at: 1 });
      open();

      const { data, items } = await world.finishedJob(started.job_id);
      assert.deepEqual([data.total, data.succeeded, data.failed], [2, 1, 1]);
      const failed = items.find((item: { site_id: number }) => item.site_id === second);
      assert.deepEqual([failed.state, failed.error.code], ['failed', 'svc_outside_limits']);
      assert.deepEqual(world.site(1).requests, []);
      for (const id of [tag, ring]) await world.request('DELETE', `/api/v2/tags/${id}/remove`);
    });
});
