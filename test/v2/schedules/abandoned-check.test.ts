import assert from 'node:assert/strict';
import { runSchedule } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('the schedule abandoned-check', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2 });
  });
  after(() => world.close());

  const abandonedOf = async (kind: string, index: number) =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(index)}/${kind}/abandoned`)).body.data as unknown[];

  it('when the child has not checked yet, then the job starts the check and its results are stored', async () => {
    // A sync sends the site the number of days after which an item is abandoned.
    await runSchedule(world, 'daily-sync');
    const { state } = world.site(0);
    state.abandoned = { ...state.abandoned, pluginsChecked: false, themesChecked: false };
    world.site(0).touch();
    for (const plugin of [...state.plugins.values()].filter(({ mu }) => !mu).slice(0, 2))
      plugin.definition = { ...plugin.definition, ageDays: 900 };
    world.site(0).touch();
    const { data, items } = await runSchedule(world, 'abandoned-check');
    assert.deepEqual([data.type, data.status, data.succeeded], ['check-abandoned', 'completed', 2]);
    const read = [...(await abandonedOf('plugins', 0)), ...(await abandonedOf('themes', 0))];
    assert.ok(read.length >= 2);
    assert.deepEqual(items[0].result, { id: world.siteId(0), url: world.site(0).url, abandoned: read.length });
  });

  it('when a site has many plugins, then each call checks ten of them', async () => {
    const { plugins, themes } = world.site(1).state;
    const calls = Math.max(1, Math.ceil(plugins.size / 10)) + Math.max(1, Math.ceil(themes.size / 10));
    const before = world.site(1).countOf('check_abandoned');
    await runSchedule(world, 'abandoned-check');
    assert.equal(world.site(1).countOf('check_abandoned') - before, calls);
  });

  it('when a later sync reports other results, then these replace the results of the check', async () => {
    const site = world.site(1);
    const [plugin] = [...site.state.plugins.values()].filter(({ mu }) => !mu);
    assert.ok(plugin);
    const { definition } = plugin;
    const withAge = async (ageDays: number, schedule: string): Promise<number> => {
      plugin.definition = { ...definition, ageDays };
      site.touch();
      await runSchedule(world, schedule);
      return (await abandonedOf('plugins', 1)).length;
    };
    const before = await withAge(1, 'daily-sync');
    assert.equal(await withAge(900, 'abandoned-check'), before + 1);
    assert.equal(await withAge(1, 'daily-sync'), before);
  });

  it('when a site is down, then its job item fails and the other sites are checked', async () => {
    world.site(0).fault = { kind: 'hang' };
    await world.closeAddress(world.siteId(0));
    const { data, items } = await runSchedule(world, 'abandoned-check');
    assert.deepEqual([data.succeeded, data.failed], [1, 1]);
    assert.equal(items[0].error.code, 'svc_site_unreachable');
  });
});
