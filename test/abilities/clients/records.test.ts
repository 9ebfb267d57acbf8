import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { startWorld, type World } from '../../support/world.ts';
import { IN_HAMBURG } from '../../support/clients.ts';
import { type Refusal } from '../../support/refusals.ts';
import { seedSite } from '../../support/sites.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('client records', () => {
  let world: World;
  beforeEach(async () => (world = await startWorld()));
  afterEach(() => world.close());

  const add = (input: object): Promise<{ id: number; email: string; sites_count: number }> =>
    world.ability('add-client-v1', input);
  const get = (ref: unknown): Promise<Record<string, unknown>> =>
    world.ability('get-client-v1', { client_id_or_email: ref });
  const ownerOf = async (siteId: number): Promise<number | null> =>
    (await world.ability('get-site-v1', { site_id_or_domain: siteId })).client_id;
  const logged = async (): Promise<string[]> => {
    const rows = await world.container.database
      .knex('changes')
      .whereRaw(`type like 'client.%' or type like 'site.%'`)
      .orderBy('id')
      .select<{ type: string; site_id: number | null; actor: string }[]>('type', 'site_id', 'actor');
    return rows.map(({ type, site_id, actor }) => `${type} ${site_id ?? '-'} ${actor}`);
  };

  describe('add-client-v1', () => {
    it('when a client is added, then the response has all given fields, like get-client-v1', async () => {
      const input = {
        name: '  Harbour Bakery ',
        client_email: 'Office@Harbour-Bakery.example',
        client_phone: '+49 40 1234567',
        ...{ address_1: 'Quay 1', address_2: 'Yard' },
        ...IN_HAMBURG,
        note: 'Line one\nline „two"',
      };
      const added = (await add(input)) as unknown as Record<string, unknown>;
      const { id, created_at, updated_at, ...rest } = added;
      const { client_email: email, client_phone: phone, ...same } = input;
      assert.deepEqual(rest, { ...same, name: 'Harbour Bakery', email, phone, status: 'active', sites_count: 0 });
      assert.match(String(created_at), TIME);
      assert.equal(updated_at, created_at);
      assert.deepEqual(await get(id), added);
      assert.deepEqual(await logged(), ['client.added - admin']);
    });

    it('when the name is not unique or the e-mail address is empty, then the client is added', async () => {
      for (const input of [{ name: 'Same' }, { name: 'Same', client_email: '' }, { name: 'Same', client_email: '  ' }])
        assert.equal((await add(input)).email, '');
      assert.equal((await world.ability('count-clients-v1')).total, 3);
    });

    it('when a name has 255 characters outside the BMP, then the client is added', async () => {
      const name = '😀'.repeat(255);
      const { id } = await add({ name });
      assert.equal((await get(id))['name'], name);
    });

    it('when another client has the e-mail address in any case, then the client is rejected', async () => {
      await add({ name: 'A', client_email: 'one@example.com' });
      const refused = await world.ability<Refusal>(
        'add-client-v1',
        { name: 'B', client_email: ' ONE@Example.com' },
        { expect: 409 },
      );
      assert.equal(refused.code, 'svc_already_exists');
      assert.equal((await world.ability('count-clients-v1')).total, 1);
    });

    it('when selected sites belong to another client, then they move to the new client', async () => {
      const { id: other } = await add({ name: 'Other' });
      const [mine, theirs] = [await seedSite(world), await seedSite(world, { clientId: other })];
      const { id, sites_count } = await add({ name: 'New', selected_sites: [theirs.id, mine.id, mine.id] });
      assert.equal(sites_count, 2);
      assert.deepEqual([await ownerOf(mine.id), await ownerOf(theirs.id)], [id, id]);
      assert.equal((await get(other))['sites_count'], 0);
      const log = await logged();
      assert.ok(log.includes(`site.updated ${mine.id} admin`) && log.includes(`site.updated ${theirs.id} admin`));
    });

    it('when a selected site is unknown, then no client is added', async () => {
      const site = await seedSite(world);
      const refused = await world.ability<Refusal>(
        'add-client-v1',
        { name: 'New', selected_sites: [site.id, 999_999] },
        { expect: 404 },
      );
      assert.deepEqual([refused.code, refused.data.site_ids], ['svc_site_not_found', [999_999]]);
      assert.equal((await world.ability('count-clients-v1')).total, 0);
      assert.equal(await ownerOf(site.id), null);
      assert.deepEqual(await logged(), []);
    });
  });

  describe('get-client-v1', () => {
    it('when the reference is an ID, digits or an e-mail address in any case, then the client is found', async () => {
      const { id } = await add({ name: 'A', client_email: 'Some.One+x@Example.com' });
      await add({ name: 'B', client_email: 'other@example.com' });
      for (const ref of [id, String(id), 'some.one+X@example.COM'])
        for (const method of ['POST', 'GET'] as const)
          assert.equal((await world.ability('get-client-v1', { client_id_or_email: ref }, { method })).id, id);
    });
  });

  describe('update-client-v1', () => {
    const update = (ref: unknown, patch: object, expect = 200): Promise<Record<string, unknown>> =>
      world.ability('update-client-v1', { client_id_or_email: ref, ...patch }, { expect });

    it('when fields are sent, then only these change', async () => {
      const { id } = await add({ name: 'A', client_email: 'a@example.com', client_phone: '1', city: 'Rome' });
      const before = await get(id);
      const { updated_at: _, ...after } = await update('A@example.com', { name: ' B ', client_phone: '', zip: '1' });
      const { updated_at: __, ...expected } = before;
      assert.deepEqual(after, { ...expected, name: 'B', phone: '', zip: '1' });
      assert.equal((await update(id, { client_email: '' }))['email'], '');
      assert.deepEqual((await logged()).slice(1), ['client.updated - admin', 'client.updated - admin']);
    });

    it('when an update has only current values, then nothing is written', async () => {
      const site = await seedSite(world);
      const { id } = await add({ name: 'A', client_email: 'a@example.com', selected_sites: [site.id] });
      const { knex } = world.container.database;
      const state = (): Promise<unknown[]> =>
        Promise.all(['clients', 'sites', 'changes', 'revisions'].map((table) => knex(table).select()));
      const before = await state();
      for (const patch of [{}, { name: 'A ', client_email: 'a@example.com', selected_sites: [site.id] }])
        await update(id, patch);
      assert.deepEqual(await state(), before);
    });

    it('when an e-mail address changes only in case, then it is stored; that of another client is not', async () => {
      const { id } = await add({ name: 'A', client_email: 'a@example.com' });
      await add({ name: 'B', client_email: 'b@example.com' });
      assert.equal((await update(id, { client_email: 'A@Example.com' }))['email'], 'A@Example.com');
      const before = await get(id);
      assert.equal(
        (await update(id, { name: 'no', client_email: 'B@example.com' }, 409))['code'],
        'svc_already_exists',
      );
      assert.deepEqual(await get(id), before);
    });

    it('when sites are selected, then they replace all sites of the client; an empty list removes all', async () => {
      const { id: other } = await add({ name: 'Other' });
      const [kept, gone, theirs] = [await seedSite(world), await seedSite(world), await seedSite(world)];
      await update(other, { selected_sites: [theirs.id] });
      const { id } = await add({ name: 'A', selected_sites: [kept.id, gone.id] });
      const owners = (): Promise<(number | null)[]> =>
        Promise.all([kept, gone, theirs].map((each) => ownerOf(each.id)));
      assert.equal((await update(id, { selected_sites: [theirs.id, kept.id] }))['sites_count'], 2);
      assert.deepEqual(await owners(), [id, null, id]);
      assert.equal((await get(other))['sites_count'], 0);
      assert.equal((await update(id, { selected_sites: [] }))['sites_count'], 0);
      assert.deepEqual(await owners(), [null, null, null]);
    });

    it('when the sites of a client change, then the lists of sites and clients change immediately', async () => {
      const site = await seedSite(world);
      const { id } = await add({ name: 'A' });
      const seen = async (): Promise<unknown[]> => [
        (await world.ability('list-sites-v1', { client_id: id })).total,
        (await world.ability('count-sites-v1', { client_id: id })).total,
        (await world.ability('list-clients-v1')).items[0].sites_count,
        (await world.ability('get-client-sites-v1', { client_id_or_email: id })).total,
      ];
      assert.deepEqual(await seen(), [0, 0, 0, 0]);
      await update(id, { selected_sites: [site.id] });
      assert.deepEqual(await seen(), [1, 1, 1, 1]);
      await update(id, { selected_sites: [] });
      assert.deepEqual(await seen(), [0, 0, 0, 0]);
    });

    it('when a selected site is unknown, then nothing changes', async () => {
      const [mine, free] = [await seedSite(world), await seedSite(world)];
      const { id } = await add({ name: 'A', selected_sites: [mine.id] });
      const before = await get(id);
      const refused = await update(id, { name: 'B', selected_sites: [free.id, 999_999] }, 404);
      assert.equal(refused['code'], 'svc_site_not_found');
      assert.deepEqual(await get(id), before);
      assert.deepEqual([await ownerOf(mine.id), await ownerOf(free.id)], [id, null]);
    });

    it('when several clients select the same site at the same time, then one of them has it', async () => {
      const site = await seedSite(world);
      const clients = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add({ name })));
      const answers = await Promise.all(
        clients.map(({ id }) =>
          world.container.services.clients.clients
            .update(ALL_SITES, id, {}, unlimitedRequester('test'), { siteIds: [site.id] })
            .then(
              () => 'done',
              (error: { code?: string }) => error.code,
            ),
        ),
      );
      assert.deepEqual(answers, ['done', 'done', 'done', 'done']);
      const { items } = await world.ability('list-clients-v1');
      assert.deepEqual(items.map((each: { sites_count: number }) => each.sites_count).sort(), [0, 0, 0, 1]);
    });
  });

  describe('delete-client-v1', () => {
    const remove = (input: object, expect = 200): Promise<Record<string, unknown>> =>
      world.ability('delete-client-v1', input, { expect });

    it('when a deletion is not confirmed, then it is rejected; a dry run never deletes', async () => {
      const { id } = await add({ name: 'A', selected_sites: [(await seedSite(world)).id, (await seedSite(world)).id] });
      await world.container.services.costs.costs.create(
        ALL_SITES,
        { name: 'Care', price: 1, targets: [{ kind: 'client', id }] },
        'test',
      );
      const before = await get(id);
      for (const input of [{}, { confirm: false }])
        assert.equal((await remove({ client_id_or_email: id, ...input }, 400))['code'], 'svc_confirmation_required');
      for (const input of [{ dry_run: true }, { dry_run: true, confirm: true }])
        assert.deepEqual(await remove({ client_id_or_email: id, ...input }), {
          dry_run: true,
          deleted: false,
          client_id: id,
          client_name: 'A',
          would_affect: {
            ...{ sites: 2, custom_fields: 0, report_schedules: 0, queued_reports: 0, reports: 0, tasks: 0 },
            ...{ buckets: 0, tracker_settings: 0, costs: 1, limits: 0 },
          },
        });
      await remove({ client_id_or_email: 999_999, dry_run: true }, 404);
      assert.deepEqual(await get(id), before);
    });

    it('when a client is deleted, then its sites are kept without a client, and costs no longer name it', async () => {
      const [mine, others] = [await seedSite(world), await seedSite(world)];
      const { id: other } = await add({ name: 'Other', selected_sites: [others.id] });
      const { id } = await add({ name: 'A', client_email: 'a@example.com', selected_sites: [mine.id] });
      const targets = [{ kind: 'client', id } as const, { kind: 'client', id: other } as const];
      await world.container.services.costs.costs.create(
        ALL_SITES,
        { name: 'Care', price: 10, licenseType: 'multi_site', targets },
        'test',
      );
      // Cost targets of other kinds with the same ID must be kept.
      for (const kind of ['site', 'tag'])
        await world.container.database.knex('cost_targets').insert({ cost_id: 1, kind, target_id: id });
      const owned = (await world.ability('count-sites-v1', { client_id: id })).total;
      assert.equal(owned, 1);
      assert.deepEqual(await remove({ client_id_or_email: 'A@example.com', confirm: true }), {
        deleted: true,
        client_id: id,
        client_name: 'A',
      });
      assert.equal(await ownerOf(mine.id), null);
      assert.equal(await ownerOf(others.id), other);
      assert.equal((await world.ability('count-sites-v1', { client_id: id })).total, 0);
      const left = await world.container.database.knex('cost_targets').select<{ kind: string; target_id: number }[]>();
      assert.deepEqual(
        left.map(({ kind, target_id }) => `${kind} ${target_id}`).sort(),
        [`client ${other}`, `site ${id}`, `tag ${id}`].sort(),
      );
      await remove({ client_id_or_email: id, confirm: true }, 404);
      assert.equal((await world.ability('list-clients-v1')).total, 1);
      await add({ name: 'Again', client_email: 'a@example.com' });
      const log = await logged();
      assert.ok(log.includes('client.deleted - admin') && log.includes(`site.updated ${mine.id} admin`));
    });
  });
});
