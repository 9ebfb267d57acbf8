import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

describe('a site that refuses calls in another language', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 3 });
    for (const site of world.fleet.sites) site.translated = true;
  });
  after(() => world.close());

  const sync = async (index: number, expect = 502) => {
    const { body } = await world.request('POST', `/api/v2/sites/${world.siteId(index)}/sync`, { expect });
    return body;
  };
  const statusOf = async (index: number): Promise<string> =>
    (await world.ability('get-site-v1', { site_id_or_domain: world.siteId(index) })).status;

  it('when the admin user loses the administrator role, then the site stays connected, and calls succeed after it is restored', async () => {
    const site = world.site(0);
    site.performWpAdminAction({ do: 'change-role', user: site.admin, role: 'editor' });
    const { code, data } = await sync(0);
    assert.deepEqual(
      [code, data.layer, data.reason, data.outcome],
      ['svc_site_refused', 'auth', 'not_admin', 'answered'],
    );
    assert.equal(await statusOf(0), 'connected');
    site.performWpAdminAction({ do: 'change-role', user: site.admin, role: 'administrator' });
    assert.equal((await sync(0, 200)).success, 1);
  });

  it('when the admin user was deleted, then the site stays connected', async () => {
    const site = world.site(1);
    site.performWpAdminAction({ do: 'delete-user', user: site.admin });
    assert.equal((await sync(1)).data.reason, 'unknown_user');
    assert.equal(await statusOf(1), 'connected');
  });

  it('when the site has another key, then it is disconnected', async () => {
    world.site(2).replaceKey('no key at all');
    assert.equal((await sync(2)).data.reason, 'key_mismatch');
    assert.equal(await statusOf(2), 'disconnected');
  });
});
