import assert from 'node:assert/strict';
import { readChangesOf } from '../../support/changes.ts';
import { openSecondAddress, type SecondAddress } from '../../support/second-address.ts';
import {
  clearFaults,
  disconnectSite,
  reconnectSite,
  suspendSite,
  syncSites,
  unsuspendSite,
} from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('second address of a site', () => {
  let world: World;
  let second: SecondAddress;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 2 });
    second = await openSecondAddress(world.site(0), '127.200.0.1');
  });
  after(async () => {
    await second.close();
    await world.close();
  });
  afterEach(() => clearFaults(world));

  const inputOf = (index: number, url: string) => {
    const { admin, adminPassword } = world.site(index);
    return { url, admin, admin_password: adminPassword };
  };
  const add = (index: number, url: string, more: object = {}, expect = 200) =>
    world.ability('add-site-v1', { ...inputOf(index, url), ...more }, { expect });
  const statusOf = async (id: number): Promise<string> =>
    (await world.ability('get-site-v1', { site_id_or_domain: id })).status;
  const count = async (): Promise<number> => (await world.ability('count-sites-v1')).total;
  const syncs = async (id: number): Promise<boolean> => (await syncSites(world, id)).synced.length === 1;

  it('when a managed site is added under another address, then 409 names its record, which stays connected', async () => {
    const [id, before] = [world.siteId(0), await count()];
    const refused = await add(0, second.url, {}, 409);
    assert.deepEqual([refused.code, refused.data.site_id], ['svc_site_already_exists', id]);
    assert.match(refused.message, /allow_second_address/);
    assert.equal(await count(), before);
    assert.equal(await statusOf(id), 'connected');
    assert.ok(await syncs(id));
    assert.match(
      (await readChangesOf(world, id, 'site.reconnected')).at(-1)?.description ?? '',
      /^Renewed the key, because the site was added again as http:\/\/127\.200\.0\.1/,
    );
    const v2 = await world.request('POST', '/api/v2/sites/add', {
      body: { url: second.url, admin: world.site(0).admin, adminpassword: world.site(0).adminPassword },
      expect: 409,
    });
    assert.deepEqual([v2.body.code, v2.body.data.site_id], ['svc_site_already_exists', id]);
    assert.ok(await syncs(id));
  });

  it('when a second address was refused, then the record can be reconnected without a password', async () => {
    await add(0, second.url, {}, 409);
    assert.equal((await reconnectSite(world, world.siteId(0))).status, 'connected');
  });

  it('when the response to the registration is lost, then the address is asked from the site', async () => {
    world.site(0).faultQueue.push({ kind: 'fatal', when: 'after', times: 2, function: 'register' });
    const refused = await add(0, second.url, {}, 409);
    assert.equal(refused.data.site_id, world.siteId(0));
    assert.ok(await syncs(world.siteId(0)));
  });

  it('when a call to the record is refused during the registration, then the record stays connected', async () => {
    const id = world.siteId(0);
    const registrations = world.site(0).countOf('register');
    world.site(0).faultQueue.push({ kind: 'late', ms: 1_000, function: 'register' });
    const adding = add(0, second.url, {}, 409);
    await until(() => world.site(0).countOf('register') > registrations, 'the site has the new key');
    await syncSites(world, id);
    await adding;
    assert.equal(await statusOf(id), 'connected');
    assert.ok(await syncs(id));
  });

  it('when the record is suspended or disconnected, then 409 names it and its status is kept', async () => {
    const id = world.siteId(0);
    await suspendSite(world, id);
    assert.equal((await add(0, second.url, {}, 409)).data.site_id, id);
    assert.equal(await statusOf(id), 'suspended');
    await unsuspendSite(world, id);
    assert.ok(await syncs(id));
    await disconnectSite(world, id);
    assert.equal((await add(0, second.url, {}, 409)).data.site_id, id);
    assert.equal(await statusOf(id), 'disconnected');
    assert.equal((await reconnectSite(world, id)).status, 'connected');
  });

  it('when another site reports the address of a managed one, then both stay connected', async () => {
    const copy = world.site(2);
    const [id, own] = [world.siteId(1), copy.siteUrl];
    copy.siteUrl = world.site(1).siteUrl;
    const added = await add(2, copy.url);
    assert.equal(added.status, 'connected');
    assert.ok((await syncs(id)) && (await syncs(added.id)));
    copy.siteUrl = own;
    await world.ability('delete-site-v1', { site_id_or_domain: added.id, confirm: true, deactivate_child: false });
  });

  it('when a site is managed under its second address, then adding its own address is refused too', async () => {
    const other = await openSecondAddress(world.site(2), '127.200.0.1');
    const { id } = await add(2, other.url);
    assert.equal((await add(2, world.site(2).url, {}, 409)).data.site_id, id);
    assert.ok(await syncs(id));
    await world.ability('delete-site-v1', { site_id_or_domain: id, confirm: true, deactivate_child: false });
    await other.close();
  });

  it('when only the name of the local host differs, then the call is refused before the site is called', async () => {
    const local = await openSecondAddress(world.site(2), '127.0.0.1');
    const { id } = await add(2, local.url);
    const calls = world.site(2).requests.length;
    for (const host of ['localhost', '[::1]']) {
      const refused = await add(2, local.url.replace('127.0.0.1', host), {}, 409);
      assert.deepEqual([refused.code, refused.data.site_id], ['svc_site_already_exists', id]);
    }
    assert.equal(world.site(2).requests.length, calls);
    await world.ability('delete-site-v1', { site_id_or_domain: id, confirm: true, deactivate_child: false });
    await local.close();
  });

  it('when allow_second_address is true, then the site is added and the former record is refused', async () => {
    const { id, status } = await add(0, second.url, { allow_second_address: true });
    assert.equal(status, 'connected');
    assert.ok(await syncs(id));
    assert.equal(await syncs(world.siteId(0)), false);
    assert.equal(await statusOf(world.siteId(0)), 'disconnected');
  });
});
