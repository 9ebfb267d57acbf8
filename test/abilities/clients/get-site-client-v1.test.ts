import assert from 'node:assert/strict';
import { updateSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'get-site-client-v1';

interface Refusal {
  code: string;
}

describe(NAME, () => {
  let world: World;
  const call = <T = unknown>(site: unknown, options: CallOptions = {}): Promise<T> =>
    world.ability<T>(NAME, { site_id_or_domain: site }, options);

  before(async () => (world = await startWorld({ sites: 2 })));
  after(() => world.close());

  it('when the site has no client, then the client is null', async () => {
    assert.deepEqual(await call(world.siteId(1)), { site_id: world.siteId(1), client: null });
  });

  it('when the site has a client, then it is returned until the site is without a client again', async () => {
    const site = world.siteId(0);
    const { id } = await world.container.services.clients.clients.create(
      { name: 'Harbour Bakery', email: 'office@harbour-bakery.example' },
      'test',
    );
    await updateSite(world, site, { client_id: id });
    const expected = {
      site_id: site,
      client: { id, name: 'Harbour Bakery', email: 'office@harbour-bakery.example', status: 'active' },
    };
    const requests = world.site(0).requests.length;
    assert.deepEqual(await call(site), expected);
    assert.deepEqual(await call(world.site(0).url, { method: 'GET' }), expected);
    assert.equal(world.site(0).requests.length, requests);
    await updateSite(world, site, { client_id: null });
    assert.deepEqual(await call(site), { site_id: site, client: null });
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [{}, { site_id_or_domain: 0 }, { site_id_or_domain: {} }, { site_id_or_domain: 1, client: 1 }])
      assert.equal((await world.ability<Refusal>(NAME, input, { expect: 400 })).code, 'ability_invalid_input');
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    assert.equal((await call<Refusal>(99_999, { expect: 404 })).code, 'svc_site_not_found');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    await call(world.siteId(1), { as: 'viewer' });
    assert.equal((await call<Refusal>(world.siteId(1), { as: 'writer', expect: 403 })).code, 'svc_permission_denied');
    await call(world.siteId(1), { as: 'nobody', expect: 401 });
  });
});
