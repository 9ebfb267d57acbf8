import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, addPendingUpdates, BETA } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const YEAR = { from: 0, until: Date.UTC(2100, 0, 1) };

describe('what happened on a site', () => {
  let world: World;
  let id: number;
  beforeEach(async () => {
    world = await startWorld({ sites: 1, connect: 0 });
    id = (await world.freshSite(addPendingUpdates)).id;
    await syncSites(world);
  });
  afterEach(() => world.close());

  const countOf = async (...types: string[]): Promise<number> => {
    const counts = await world.container.services.changes.activity.counted([id], YEAR);
    return counts.filter(({ type }) => types.includes(type)).reduce((sum, { count }) => sum + count, 0);
  };

  it('when we update a plugin and somebody there updates another, then each is counted once', async () => {
    await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: [ALPHA] } });
    world.site(0).performWpAdminAction({ do: 'release-plugin', plugin: BETA, version: '9.9' });
    world.site(0).performWpAdminAction({ do: 'update-plugin', plugin: BETA });
    await syncSites(world);
    await syncSites(world);
    assert.equal(await countOf('plugin.updated'), 2);
    const [updates] = await world.container.services.changes.activity.newest([id], YEAR, [['plugin.updated']], 10);
    assert.deepEqual(updates?.map(({ source }) => source).sort(), ['child_changes', 'dashboard']);
  });

  it('when WordPress was updated there, then both logs tell of it, and it counts once, with its versions', async () => {
    const old = world.site(0).state.core.version;
    world.site(0).performWpAdminAction({ do: 'release-core', version: '99.1' });
    world.site(0).performWpAdminAction({ do: 'update-core' });
    await syncSites(world);
    await syncSites(world);
    const [updates] = await world.container.services.changes.activity.newest([id], YEAR, [['wordpress.updated']], 9);
    assert.deepEqual(
      updates?.map(({ before, after }) => [before['version'], after['version']]),
      [[old, '99.1']],
    );
  });

  it('when the site is registered, then no report counts that as a change of a user', async () => {
    await world.request('POST', `/api/v2/sites/${id}/reconnect`);
    await syncSites(world);
    assert.equal(await countOf('user.updated', 'user.created'), 0);
  });

  it('when somebody creates a user there, then it is one creation, with the role, and no change', async () => {
    world.site(0).performWpAdminAction({ do: 'create-user', user: 'ann', role: 'author' });
    await syncSites(world);
    assert.deepEqual([await countOf('user.created'), await countOf('user.updated', 'user.role_changed')], [1, 0]);
    const [created] = await world.container.services.changes.activity.newest([id], YEAR, [['user.created']], 1);
    assert.deepEqual(
      created?.map(({ name, after }) => [name, after]),
      [['ann', { role: 'Author' }]],
    );
  });
});
