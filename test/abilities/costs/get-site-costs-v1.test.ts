import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { withoutModule } from '../../support/modules.ts';
import { updateSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'get-site-costs-v1';
interface Output {
  site_id: number;
  costs: { id: number; name: string; amount: number; frequency: string; next_due: string | null }[];
  total_monthly: number;
  total_yearly: number;
}
interface Refusal {
  code: string;
}

/** Current time of the service. */
const NOW = Date.parse('2026-11-21T10:00:00Z');

describe(NAME, () => {
  let world: World;
  let ids: number[];
  const call = <T = Output>(site: unknown, options: CallOptions = {}): Promise<T> =>
    world.ability<T>(NAME, { site_id_or_domain: site }, options);

  before(async () => {
    const skew = NOW - Date.now();
    world = await startWorld({ sites: 3, overrides: { clock: { now: () => Date.now() + skew } } });
    ids = [0, 1, 2].map((index) => world.siteId(index));
  });
  after(() => world.close());

  it('when the site has no costs, then the list is empty', async () => {
    assert.deepEqual(await call(ids[2]), { site_id: ids[2], costs: [], total_monthly: 0, total_yearly: 0 });
  });

  it('when costs are active, then the list has the amounts of this site, and the totals', async () => {
    const {
      costs: { costs },
      clients: { clients },
      tags: { tags },
    } = world.container.services;
    const client = await clients.create({ name: 'Owner' }, 'test');
    const tag = await tags.create({ name: 'shop' }, 'test');
    await updateSite(world, world.siteId(0), { client_id: client.id, tags: [tag.id] });
    await updateSite(world, world.siteId(1), { tags: [tag.id] });
    const own = { kind: 'site', id: ids[0] as number } as const;
    const hosting = await costs.create(
      ALL_SITES,
      { name: 'Hosting', price: 29.9, targets: [own], lastRenewal: '2026-11-01' },
      'test',
    );
    const theme = await costs.create(
      ALL_SITES,
      {
        name: 'Theme',
        price: 0.25,
        renewalType: 'yearly',
        licenseType: 'multi_site',
        lastRenewal: '2026-03-15',
        targets: [{ kind: 'tag', id: tag.id }],
      },
      'test',
    );
    const care = await costs.create(
      ALL_SITES,
      { name: 'Care', price: 3, renewalType: 'weekly', targets: [{ kind: 'client', id: client.id }] },
      'test',
    );
    const logo = await costs.create(ALL_SITES, { name: 'Logo', price: 400, type: 'lifetime', targets: [own] }, 'test');
    await costs.create(ALL_SITES, { name: 'Old', price: 99, status: 'expired', targets: [own] }, 'test');
    assert.deepEqual(await call(ids[0]), {
      site_id: ids[0],
      costs: [
        { id: hosting, name: 'Hosting', amount: 29.9, frequency: 'monthly', next_due: '2026-12-01' },
        { id: theme, name: 'Theme', amount: 0.13, frequency: 'yearly', next_due: '2027-03-15' },
        { id: care, name: 'Care', amount: 3, frequency: 'weekly', next_due: null },
        { id: logo, name: 'Logo', amount: 400, frequency: 'lifetime', next_due: null },
      ],
      // 29.9 + 0.13 / 12 + 3 x 52 / 12 = 42.9108…, and twelve times that is 514.93.
      total_monthly: 42.91,
      total_yearly: 514.93,
    });
    const { costs: others, total_yearly } = await call(ids[1]);
    assert.deepEqual(
      [others, total_yearly],
      [[{ id: theme, name: 'Theme', amount: 0.12, frequency: 'yearly', next_due: '2027-03-15' }], 0.12],
    );
  });

  it('when the call uses GET or the site URL, then the response is the same, and no site is called', async () => {
    const posted = await call(ids[0]);
    const requests = world.site(0).requests.length;
    assert.deepEqual(await call(ids[0], { method: 'GET' }), posted);
    assert.deepEqual(await call(world.site(0).url), posted);
    assert.equal(world.site(0).requests.length, requests);
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [
      {},
      { site_id_or_domain: 0 },
      { site_id_or_domain: true },
      { site_id_or_domain: ids[0], page: 1 },
    ])
      assert.equal((await world.ability<Refusal>(NAME, input, { expect: 400 })).code, 'ability_invalid_input');
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    assert.equal((await call<Refusal>('nowhere.example', { expect: 404 })).code, 'svc_site_not_found');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    await call(ids[0], { as: 'viewer' });
    assert.equal((await call<Refusal>(ids[0], { as: 'writer', expect: 403 })).code, 'svc_permission_denied');
    await call(ids[0], { as: 'nobody', expect: 401 });
  });

  it('when the module cost-tracker is off, then the call is rejected', async () => {
    await withoutModule(world, 'cost-tracker', async () =>
      assert.equal((await call<Refusal>(ids[0], { expect: 404 })).code, 'svc_module_not_available'),
    );
    await call(ids[0]);
  });
});
