import assert from 'node:assert/strict';
import { newestJob } from '../../support/jobs.ts';
import { countRunningCalls, clearFaults } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('cancelled v2 jobs', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2 });
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  for (const [type, ability] of [
    ['sync', 'sync-sites-v1'],
    ['check', 'check-sites-v1'],
  ] as const)
    it(`when a ${type} job with a hanging site is cancelled, then its calls end without a site error`, async () => {
      world.site(0).fault = { kind: 'hang' };
      const running = world.ability(ability, { site_ids_or_domains: world.siteIds });
      await until(
        async () => (await newestJob(world, type))?.processed === 1 && (await countRunningCalls(world)) === 1,
        'one site to hang',
      );
      const { job_id } = await newestJob(world, type);
      await world.request('DELETE', `/api/v2/jobs/${job_id}`);
      const answer = await running;
      assert.deepEqual(
        answer.errors.map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code]),
        [[world.siteId(0), 'svc_cancelled']],
      );
      const { data, items } = (await world.request('GET', `/api/v2/jobs/${job_id}`)).body;
      assert.deepEqual([data.status, data.succeeded, data.failed], ['cancelled', 1, 1]);
      assert.deepEqual(
        items.map(({ state }: { state: string }) => state),
        ['failed', 'succeeded'],
      );
      assert.equal(await countRunningCalls(world), 0);
      const row = await world.container.database
        .knex('site_states')
        .where({ site_id: world.siteId(0) })
        .first();
      assert.equal(row.sync_error_code, null);
    });

  it('when a job is cancelled after an update was sent, then the update finishes in the job', async () => {
    const site = world.site(1);
    site.performWpAdminAction({ do: 'install-plugin', folder: 'slow' });
    site.performWpAdminAction({ do: 'release-plugin', plugin: 'slow/slow.php', version: '9.9' });
    await world.container.services.sites.sites.sync(world.siteId(1));
    site.latencyMs = 1_000;
    const sites = { site_ids_or_domains: [world.siteId(1)], specific_items: ['slow/slow.php'] };
    const running = world.ability('run-updates-v1', sites);
    await until(async () => site.countOf('upgradeplugintheme') === 1, 'the update to be sent');
    const { job_id } = await newestJob(world, 'update');
    await world.request('DELETE', `/api/v2/jobs/${job_id}`);
    const answer = await running;
    assert.deepEqual([answer.updated.length, answer.errors], [1, []]);
    const { data, items } = (await world.request('GET', `/api/v2/jobs/${job_id}`)).body;
    assert.deepEqual([data.status, data.succeeded, items[0].state], ['cancelled', 1, 'succeeded']);
    site.latencyMs = 0;
  });
});
