import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, removeItemsWithUpdates, type UpdateEntry, releaseUpdates } from '../../support/updates.ts';
import { startWorld } from '../../support/world.ts';

// Runs on SQLite only: the test is about the number of calls to sites.

describe('updates of more than 200 sites', () => {
  it('when 201 sites have updates, then a job updates them; fewer are updated directly', async () => {
    const world = await startWorld({ sites: 203, connect: 0 });
    try {
      for (const [index, site] of world.fleet.sites.entries()) {
        const [theme] = removeItemsWithUpdates(site).themes;
        if (index < 201) releaseUpdates(site, { plugins: [ALPHA], themes: [theme] });
      }
      for (let start = 0; start < 203; start += 16)
        await Promise.all(Array.from({ length: Math.min(16, 203 - start) }, (_, at) => world.connect(start + at)));
      world.site(7).defects.failingPackages.add(ALPHA);
      const plugins = { site_ids_or_domains: [...world.siteIds, 'no.example'], types: ['plugins'] };
      const queued = await world.ability('run-updates-v1', plugins);
      assert.deepEqual([queued.queued, queued.sites_queued, queued.errors.length], [true, 201, 1]);
      assert.equal(queued.status_url, `${world.url}/api/v2/jobs/${queued.job_id}`);
      const job = await world.finishedJob(queued.job_id);
      assert.deepEqual(
        [job.data.type, job.data.status, job.data.succeeded, job.data.failed, job.data.total],
        ['update', 'completed', 200, 1, 201],
      );
      assert.equal(job.items.length, 201);
      const byId = new Map(job.items.map((item: { site_id: number }) => [item.site_id, item]));
      for (let index = 0; index < 201; index++) {
        const { result } = byId.get(world.siteId(index)) as {
          result: { updated: (UpdateEntry & { new_version: string })[]; errors: { code: string }[] };
        };
        const expected = index === 7 ? ['svc_update_failed'] : ['9.1'];
        assert.deepEqual(
          [...result.updated.map((each) => each.new_version), ...result.errors.map(({ code }) => code)],
          expected,
        );
      }
      assert.ok(world.fleet.sites.every((site) => site.maxConcurrent <= 1));
      assert.equal((await world.ability('list-updates-v1', { types: ['plugins'] })).total, 1);
      world.site(7).defects.failingPackages.clear();
      // The limit counts the sites with updates, not the given sites.
      for (const site of world.fleet.sites.slice(0, 8)) releaseUpdates(site, { core: '9.0' });
      await syncSites(world, ...world.siteIds.slice(0, 8));
      const types = ['core', 'plugins'];
      const inline = await world.ability('update-all-v1', { site_ids_or_domains: world.siteIds, types });
      assert.deepEqual(inline.updated, { core: 8, plugins: 1, themes: 0, translations: 0 });
      assert.deepEqual(inline.summary, { total_updated: 9, total_errors: 0, sites_updated: 8 });
      const { body: route } = await world.request('POST', '/api/v2/updates/update');
      assert.deepEqual(
        [route.success, route.total, route.errors, route.status_url],
        [1, 201, [], `${world.url}/api/v2/jobs/${route.job_id}`],
      );
      assert.equal((await world.finishedJob(route.job_id)).data.succeeded, 201);
    } finally {
      await world.close();
    }
  });
});
