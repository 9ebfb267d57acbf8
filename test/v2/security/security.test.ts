import assert from 'node:assert/strict';
import { SECURITY_FLAGS } from '../../../src/connector/child-site.ts';
import { seedSite, syncSites } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

describe('v2 security checks of a site', () => {
  let world: World;
  const read = async (site: number | string, options: CallOptions = {}) =>
    (await world.request('GET', `/api/v2/sites/${site}/security`, options)).body;

  before(async () => (world = await startWorld({ sites: 1 })));
  after(() => world.close());

  it('when a site is synced, then its security flags are updated, and a read does not call the site', async () => {
    const [id, site] = [world.siteId(0), world.site(0)];
    assert.equal((await read(id)).data.wp_uptodate, 'Y');
    site.performWpAdminAction({ do: 'release-core', version: '99.0' });
    await syncSites(world, id);
    const requests = site.requests.length;
    const { data, site: reference } = await read(id);
    assert.deepEqual(Object.keys(data).sort(), [...SECURITY_FLAGS].sort());
    // The simulated site is served over HTTP.
    assert.deepEqual([data.wp_uptodate, data.sslprotocol], ['N', 'N']);
    assert.deepEqual([reference.id, reference.url], [id, site.url]);
    assert.deepEqual((await read(new URL(site.url).host)).data, data);
    assert.equal(site.requests.length, requests);
  });

  it('when a site was never synced, then every flag is null', async () => {
    const { data } = await read((await seedSite(world)).id);
    assert.deepEqual(data, Object.fromEntries(SECURITY_FLAGS.map((flag) => [flag, null])));
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    assert.equal((await read(99_999, { expect: 404 })).code, 'svc_site_not_found');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    const id = world.siteId(0);
    await read(id, { as: 'viewer' });
    assert.equal((await read(id, { as: 'writer', expect: 403 })).code, 'svc_permission_denied');
    await read(id, { as: 'nobody', expect: 401 });
  });
});
