import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SiteStatus } from '../../../src/domains/sites/index.ts';
import { startWorld, type World } from '../../support/world.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';

describe('sites of a client', () => {
  let world: World;
  let client: number;
  before(async () => (world = await startWorld()));
  after(() => world.close());
  beforeEach(async () => (client = (await world.ability('add-client-v1', { name: 'Owner' })).id));

  const call = (name: string, input: object = {}): Promise<Record<string, unknown>> =>
    world.ability(name, { client_id_or_email: client, ...input });
  const statusOf = async (siteId: number): Promise<SiteStatus> =>
    (await world.ability('get-site-v1', { site_id_or_domain: siteId })).status;
  const changesOf = async (siteId: number): Promise<string[]> =>
    (await world.ability('get-site-changes-v1', { site_id_or_domain: siteId })).changes.map(
      ({ type, user }: { type: string; user: string }) => `${type} ${user}`,
    );
  const clientLog = async (): Promise<string[]> => {
    const rows = await world.container.database.knex('changes').whereNull('site_id').where('type', 'like', 'client.%');
    return (rows as { type: string }[]).map(({ type }) => type);
  };

  it('when sites of a client are listed, then they are sorted by URL, paged and counted', async () => {
    const empty = { client_id: client, client_name: 'Owner', sites: [], page: 1, per_page: 20, total: 0 };
    assert.deepEqual(await call('get-client-sites-v1'), empty);
    const seeded = [
      await seedSite(world, { clientId: client, status: 'suspended' }),
      await seedSite(world, { clientId: client }),
      await seedSite(world, { clientId: client, status: 'disconnected' }),
    ];
    await seedSite(world);
    assert.deepEqual(await call('get-client-sites-v1'), { ...empty, sites: seeded, total: 3 });
    const second = await call('get-client-sites-v1', { page: 2, per_page: 2 });
    assert.deepEqual(second, { ...empty, sites: [seeded[2]], page: 2, per_page: 2, total: 3 });
    assert.deepEqual(
      await world.ability('get-client-sites-v1', { client_id_or_email: client }, { method: 'GET' }),
      await call('get-client-sites-v1'),
    );
    for (const method of ['POST', 'GET'] as const)
      assert.deepEqual(await world.ability('count-client-sites-v1', { client_id_or_email: client }, { method }), {
        client_id: client,
        client_name: 'Owner',
        sites_count: 3,
      });
  });

  it('when the client is suspended, then its sites are suspended, and the changed ones are counted', async () => {
    const [up, down, off] = [
      await seedSite(world, { clientId: client }),
      await seedSite(world, { clientId: client, status: 'disconnected' }),
      await seedSite(world, { clientId: client, status: 'suspended' }),
    ];
    const stranger = await seedSite(world);
    const total = (await world.ability('count-sites-v1', { status: 'suspended' })).total;
    const answer = { suspended: true, client_id: client, client_name: 'Owner' };
    assert.deepEqual(await call('suspend-client-v1'), { ...answer, sites_suspended: 2 });
    for (const site of [up, down, off]) assert.equal(await statusOf(site.id), 'suspended');
    assert.equal(await statusOf(stranger.id), 'connected');
    assert.equal((await call('get-client-v1'))['status'], 'suspended');
    assert.equal((await world.ability('count-sites-v1', { status: 'suspended' })).total, total + 2);
    assert.deepEqual(await Promise.all([up, down, off].map((site) => changesOf(site.id))), [
      ['site.suspended admin'],
      ['site.suspended admin'],
      [],
    ]);

    const before = await clientLog();
    assert.equal(before.filter((type) => type === 'client.suspended').length, 1);
    assert.deepEqual(await call('suspend-client-v1'), { ...answer, sites_suspended: 0 });
    assert.deepEqual(await clientLog(), before);
    assert.deepEqual(await changesOf(up.id), ['site.suspended admin']);
  });

  it('when the client is unsuspended, then all its suspended sites are unsuspended', async () => {
    const [off, down] = [
      await seedSite(world, { clientId: client, status: 'suspended' }),
      await seedSite(world, { clientId: client, status: 'disconnected' }),
    ];
    const stranger = await seedSite(world, { status: 'suspended' });
    const answer = { unsuspended: true, client_id: client, client_name: 'Owner' };
    // The client is active, but one of its sites is suspended.
    assert.deepEqual(await call('unsuspend-client-v1'), { ...answer, sites_unsuspended: 1 });
    assert.deepEqual(await Promise.all([off, down, stranger].map((site) => statusOf(site.id))), [
      'connected',
      'disconnected',
      'suspended',
    ]);
    await call('suspend-client-v1');
    assert.deepEqual(await call('unsuspend-client-v1'), { ...answer, sites_unsuspended: 2 });
    assert.deepEqual(await call('unsuspend-client-v1'), { ...answer, sites_unsuspended: 0 });
    assert.equal((await call('get-client-v1'))['status'], 'active');
    assert.deepEqual((await changesOf(off.id)).slice(0, 2), ['site.unsuspended admin', 'site.suspended admin']);
  });

  it('when a site is added to a suspended client, then the next suspend call suspends the site', async () => {
    await call('suspend-client-v1');
    const late = await seedSite(world, { clientId: client });
    assert.equal((await call('suspend-client-v1'))['sites_suspended'], 1);
    assert.equal(await statusOf(late.id), 'suspended');
  });

  it('when a client has 90 sites, then suspending needs no more SQL statements than for one', async () => {
    const measure = (): Promise<number> =>
      countStatements(
        world,
        () => call('suspend-client-v1'),
        () => call('unsuspend-client-v1'),
      );
    await seedSite(world, { clientId: client });
    const one = await measure();
    for (let n = 0; n < 89; n++) await seedSite(world, { clientId: client });
    await call('unsuspend-client-v1');
    assert.equal((await world.ability('count-sites-v1', { client_id: client, status: 'connected' })).total, 90);
    assert.equal(await measure(), one);
  });

  it('when random operations have run, then counts and lists agree', async () => {
    const clients = [0, 1].map(() => 0);
    for (const n of [0, 1]) clients[n] = (await world.ability('add-client-v1', { name: `Random ${n}` })).id;
    const sites: number[] = [];
    for (const status of ['connected', 'connected', 'disconnected', 'suspended'] as const)
      sites.push((await seedSite(world, { status })).id);
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('suspend', 'unsuspend'), n: fc.nat(1) }),
      fc.record({ kind: fc.constant('assign'), n: fc.nat(1), sites: fc.subarray([0, 1, 2, 3]) }),
      fc.record({ kind: fc.constantFrom('disconnect', 'suspend-site', 'rename'), n: fc.nat(3) }),
      fc.record({ kind: fc.constant('replace'), n: fc.nat(1) }),
    );
    const run = async (each: { kind: string; n: number; sites?: number[] }): Promise<void> => {
      const ref = { client_id_or_email: clients[each.n] };
      const site = { site_id_or_domain: sites[each.n] };
      if (each.kind === 'suspend' || each.kind === 'unsuspend') {
        const counter = `sites_${each.kind}ed`;
        await world.ability(`${each.kind}-client-v1`, ref);
        assert.equal((await world.ability(`${each.kind}-client-v1`, ref))[counter], 0);
      } else if (each.kind === 'assign')
        await world.ability('update-client-v1', { ...ref, selected_sites: (each.sites ?? []).map((n) => sites[n]) });
      else if (each.kind === 'disconnect') await world.ability('disconnect-site-v1', site);
      else if (each.kind === 'suspend-site') await world.ability('suspend-site-v1', site);
      else if (each.kind === 'rename')
        await world.ability('update-site-v1', { ...site, client_id: clients[each.n % 2] });
      else {
        await world.ability('delete-client-v1', { ...ref, confirm: true });
        clients[each.n] = (await world.ability('add-client-v1', { name: `Random ${each.n}` })).id;
      }
      await agree();
    };
    const agree = async (): Promise<void> => {
      for (const status of ['any', 'active', 'suspended']) {
        const { items, total } = await world.ability('list-clients-v1', { status, per_page: 100 });
        assert.equal(total, items.length);
        assert.equal((await world.ability('count-clients-v1', { status })).total, total);
      }
      const listed = (await world.ability('list-clients-v1', { include: clients })).items;
      for (const { id, sites_count } of listed) {
        const { sites: own, total } = await world.ability('get-client-sites-v1', { client_id_or_email: id });
        const count = (await world.ability('count-client-sites-v1', { client_id_or_email: id })).sites_count;
        const byFilter = (await world.ability('count-sites-v1', { client_id: id })).total;
        assert.deepEqual([sites_count, own.length, total, byFilter], [count, count, count, count]);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const each of steps) await run(each);
      }),
      { numRuns: 8 },
    );
  });
});
