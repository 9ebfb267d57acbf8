import assert from 'node:assert/strict';
import { syncSites } from '../../support/sites.ts';
import { withWorld, type World } from '../../support/world.ts';

/** State transitions of a site, as in part 3 of the interface. */
describe('site states', () => {
  let world: World;
  let id: number;
  withWorld({ sites: 2 }, (started) => {
    world = started;
    id = world.siteId(0);
  });

  const run = (verb: string, options?: object) => world.ability(`${verb}-site-v1`, { site_id_or_domain: id }, options);
  const status = async (): Promise<string> => (await world.ability('get-site-v1', { site_id_or_domain: id })).status;
  const bring = async (state: string): Promise<void> => {
    await run('suspend');
    await run('unsuspend');
    if (state === 'suspended') await run('suspend');
    if (state === 'disconnected') await run('disconnect');
    assert.equal(await status(), state);
  };
  const expected = (flag: string, state: string) => ({
    [flag]: true,
    site_id: id,
    site_url: world.site(0).url,
    status: state,
  });

  for (const from of ['connected', 'disconnected', 'suspended']) {
    it(`when a ${from} site is disconnected, then its status is disconnected`, async () => {
      await bring(from);
      assert.deepEqual(await run('disconnect'), expected('disconnected', 'disconnected'));
      assert.equal(await status(), 'disconnected');
    });

    it(`when a ${from} site is suspended, then its status is suspended`, async () => {
      await bring(from);
      assert.deepEqual(await run('suspend'), expected('suspended', 'suspended'));
      assert.equal(await status(), 'suspended');
    });
  }

  it('when a site is unsuspended, then a suspended site is connected, and others keep their status', async () => {
    await bring('suspended');
    assert.deepEqual(await run('unsuspend'), expected('unsuspended', 'connected'));
    await bring('disconnected');
    assert.deepEqual(await run('unsuspend'), expected('unsuspended', 'disconnected'));
  });

  it('when a disconnected site is reconnected, then it has a new key without a password', async () => {
    await bring('disconnected');
    const key = world.site(0).state.connection.publicKey;
    assert.deepEqual(await run('reconnect'), expected('reconnected', 'connected'));
    assert.notEqual(world.site(0).state.connection.publicKey, key);
    assert.equal((await syncSites(world, id)).total_synced, 1);
  });

  it('when a connected site is reconnected, then it is registered again', async () => {
    await bring('connected');
    const before = world.site(0).countOf('register');
    await run('reconnect');
    assert.equal(world.site(0).countOf('register'), before + 1);
  });

  it('when a suspended site is reconnected, then the call is rejected', async () => {
    await bring('suspended');
    assert.equal((await run('reconnect', { expect: 409 })).code, 'svc_site_suspended');
  });

  it('when a site is disconnected, then it is not called until it is reconnected', async () => {
    await bring('disconnected');
    const before = world.site(0).requests.length;
    const sync = await syncSites(world, id);
    assert.equal(sync.errors[0].code, 'svc_site_disconnected');
    const refused = await world.ability(
      'activate-site-plugins-v1',
      { site_id_or_domain: id, slugs: ['hello.php'] },
      { expect: 409 },
    );
    assert.equal(refused.code, 'svc_site_disconnected');
    assert.equal(world.site(0).requests.length, before);
  });

  it('when a site is suspended twice, then the second call returns the same and is not logged', async () => {
    await bring('connected');
    const logged = async (): Promise<number> =>
      (await world.ability('get-site-changes-v1', { site_id_or_domain: id, type: 'site.suspended' })).total;
    await run('suspend');
    const once = await logged();
    assert.deepEqual(await run('suspend'), expected('suspended', 'suspended'));
    assert.equal(await logged(), once);
  });

  it('when a site is down, then it stays connected, and the error is stored', async () => {
    await bring('connected');
    await run('reconnect');
    world.site(0).fault = { kind: 'refuse' };
    const { errors } = await syncSites(world, id);
    assert.equal(errors[0].code, 'svc_site_unreachable');
    assert.equal(await status(), 'connected');
    const stored = await world.container.services.sites.sites.get(id);
    assert.equal(stored.syncError?.code, 'svc_site_unreachable');
    assert.equal((await run('reconnect', { expect: 503 })).code, 'svc_site_unreachable');
    world.site(0).fault = null;
    await run('reconnect');
    assert.equal((await world.container.services.sites.sites.get(id)).syncError, null);
  });

  it('when a site rejects the signature, then it is disconnected, and a reconnect repairs it', async () => {
    await bring('connected');
    await run('reconnect');
    world.site(0).loseKey();
    const { errors } = await syncSites(world, id);
    assert.equal(errors[0].code, 'svc_site_refused');
    assert.equal(await status(), 'disconnected');
    world.site(0).fault = null;
    assert.equal((await run('reconnect')).status, 'connected');
  });

  it('when a registration is rejected, then the old key is kept', async () => {
    await bring('connected');
    await run('reconnect');
    const site = world.site(0);
    site.fault = { kind: 'challenge', function: 'register' };
    assert.equal((await run('reconnect', { expect: 502 })).data.reason, 'blocked');
    site.fault = null;
    assert.equal((await syncSites(world, id)).total_synced, 1);
  });

  it('when the response to a registration is lost, then the new key is kept', async () => {
    await bring('connected');
    await run('reconnect');
    const site = world.site(0);
    site.fault = { kind: 'fatal', when: 'after', function: 'register' };
    assert.equal((await run('reconnect')).status, 'connected');
    site.fault = null;
    assert.equal((await syncSites(world, id)).total_synced, 1);
  });

  it('when a site has no reconnect token, then the next sync stores one, which reconnects the site', async () => {
    await bring('connected');
    await run('reconnect');
    await world.container.database.knex('site_secrets').where({ site_id: id }).update({ regverify: null });
    assert.equal((await run('reconnect', { expect: 502 })).data.layer, 'auth');
    assert.equal((await syncSites(world, id)).total_synced, 1);
    assert.equal((await run('reconnect')).status, 'connected');
  });

  it('when the site is unknown, the right missing or the input invalid, then each call is rejected', async () => {
    for (const verb of ['reconnect', 'disconnect', 'suspend', 'unsuspend']) {
      const name = `${verb}-site-v1`;
      assert.equal(
        (await world.ability(name, { site_id_or_domain: 999_999 }, { expect: 404 })).code,
        'svc_site_not_found',
      );
      assert.equal(
        (await world.ability(name, { site_id_or_domain: id }, { as: 'viewer', expect: 403 })).code,
        'svc_permission_denied',
      );
      assert.equal((await world.ability(name, {}, { expect: 400 })).data.errors[0].path, 'input.site_id_or_domain');
      assert.equal(
        (await world.ability(name, { site_id_or_domain: id, x: 1 }, { expect: 400 })).data.errors[0].path,
        'input.x',
      );
      assert.equal(
        (await world.ability(name, { site_id_or_domain: id }, { method: 'GET', expect: 405 })).code,
        'rest_ability_invalid_method',
      );
    }
  });
});
