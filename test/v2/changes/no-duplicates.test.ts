import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, addPendingUpdates, BETA } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const YEAR = { from: 0, until: Date.UTC(2100, 0, 1) };

describe('changes without duplicates', () => {
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

  it('when Sitefleet updates one plugin and a user of the site another, then each update is counted once', async () => {
    await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: [ALPHA] } });
    world.site(0).performWpAdminAction({ do: 'release-plugin', plugin: BETA, version: '9.9' });
    world.site(0).performWpAdminAction({ do: 'update-plugin', plugin: BETA });
    await syncSites(world);
    await syncSites(world);
    assert.equal(await countOf('plugin.updated'), 2);
    const [updates] = await world.container.services.changes.activity.newest([id], YEAR, [['plugin.updated']], 10);
    assert.deepEqual(updates?.map(({ source }) => source).sort(), ['child_changes', 'dashboard']);
  });

  it('when WordPress is updated in wp-admin, then both logs report it and one change has both versions', async () => {
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

  it('when the site is registered again, then no user change is counted', async () => {
    await world.request('POST', `/api/v2/sites/${id}/reconnect`);
    await syncSites(world);
    assert.equal(await countOf('user.updated', 'user.created'), 0);
  });

  it('when a user is created in wp-admin, then one creation with the role and no user change are counted', async () => {
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
