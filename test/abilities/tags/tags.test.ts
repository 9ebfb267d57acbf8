import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import fc from 'fast-check';
import { startWorld, type World } from '../../support/world.ts';
import { type Refusal } from '../../support/refusals.ts';
import { seedSite, updateSite } from '../../support/sites.ts';
import { countStatementsUncached } from '../../support/statements.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const idsOf = (items: { id: number }[]): number[] => items.map(({ id }) => id);

describe('tag abilities', () => {
  let world: World;
  beforeEach(async () => (world = await startWorld()));
  afterEach(() => world.close());

  const add = (name: string, color?: string): Promise<Record<string, unknown> & { id: number }> =>
    world.ability('add-tag-v1', { name, ...(color === undefined ? {} : { color }) });
  const get = (id: number): Promise<Record<string, unknown>> => world.ability('get-tag-v1', { tag_id: id });
  const log = async (): Promise<string[]> => {
    const rows = await world.container.database.knex('changes').where('type', 'like', 'tag.%').orderBy('id');
    return (rows as { type: string; actor: string }[]).map(({ type, actor }) => `${type} ${actor}`);
  };

  it('when a tag is added, then its name is trimmed and its color normalized', async () => {
    const { id, created_at, ...rest } = await add(' Shop ', '#AbC');
    assert.deepEqual(rest, { name: 'Shop', color: '#aabbcc', sites_count: 0 });
    assert.match(String(created_at), TIME);
    const detail = { id, ...rest, created_at, updated_at: created_at };
    for (const method of ['POST', 'GET'] as const)
      assert.deepEqual(await world.ability('get-tag-v1', { tag_id: id }, { method }), detail);
    assert.equal((await add('plain'))['color'], null);
    assert.equal((await add('long', '#1A73E8'))['color'], '#1a73e8');
    assert.deepEqual((await log())[0], 'tag.added admin');
  });

  it('when a name is taken in any case, then no other tag can have it', async () => {
    const { id } = await add('Shop');
    const { id: other } = await add('Other', '#fff');
    const refused = [
      await world.ability<Refusal>('add-tag-v1', { name: ' sHOP' }, { expect: 409 }),
      await world.ability<Refusal>('update-tag-v1', { tag_id: other, name: 'SHOP', color: '#000' }, { expect: 409 }),
    ];
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['svc_already_exists', 'svc_already_exists'],
    );
    assert.deepEqual([(await get(other))['name'], (await get(other))['color']], ['Other', '#ffffff']);
    assert.equal((await world.ability('update-tag-v1', { tag_id: id, name: 'SHOP' })).name, 'SHOP');
    assert.equal((await world.ability('list-tags-v1')).total, 2);
  });

  it('when a tag is updated, then only the sent fields change, and current values are not written again', async () => {
    const { id } = await add('Shop', '#123456');
    const { updated_at: _, ...before } = await get(id);
    const { updated_at: __, ...renamed } = await world.ability('update-tag-v1', { tag_id: id, name: ' Web ' });
    assert.deepEqual(renamed, { ...before, name: 'Web' });
    assert.equal((await world.ability('update-tag-v1', { tag_id: id, color: '#FFF' })).color, '#ffffff');
    assert.equal((await world.ability('update-tag-v1', { tag_id: id, color: null })).color, null);
    assert.deepEqual(await log(), ['tag.added admin', ...Array.from({ length: 3 }, () => 'tag.updated admin')]);
    const stored = await world.container.database.knex('tags').select();
    for (const patch of [{}, { name: 'Web', color: null }])
      await world.ability('update-tag-v1', { tag_id: id, ...patch });
    assert.deepEqual(await world.container.database.knex('tags').select(), stored);
    assert.equal((await log()).length, 4);
  });

  it('when tags are listed, then they are sorted by name without case, filtered and paged', async () => {
    const ids: Record<string, number> = {};
    for (const name of ['zebra', 'Apple', '50%_off', 'mango', 'apple pie']) ids[name] = (await add(name)).id;
    const found = async (input: object = {}): Promise<string[]> => {
      const { items, total } = await world.ability('list-tags-v1', input);
      assert.equal(total, items.length);
      return items.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await found(), ['50%_off', 'Apple', 'apple pie', 'mango', 'zebra']);
    assert.deepEqual(await found({ search: 'APPLE' }), ['Apple', 'apple pie']);
    assert.deepEqual(await found({ search: '%' }), ['50%_off']);
    assert.deepEqual(await found({ search: 'a_p' }), []);
    assert.deepEqual(await found({ include: [ids['mango'], ids['Apple'], 999] }), ['Apple', 'mango']);
    assert.deepEqual(await found({ exclude: [ids['mango'], ids['Apple']] }), ['50%_off', 'apple pie', 'zebra']);
    const all = { search: 'a', include: [ids['mango'], ids['Apple'], ids['50%_off']], exclude: [ids['Apple']] };
    assert.deepEqual(await found(all), ['mango']);
    const second = await world.ability('list-tags-v1', { page: 2, per_page: 2 });
    assert.deepEqual(
      [idsOf(second.items), second.page, second.per_page, second.total],
      [[ids['apple pie'], ids['mango']], 2, 2, 5],
    );
    assert.deepEqual((await world.ability('list-tags-v1', { page: 9 })).items, []);
    assert.deepEqual(await world.ability('list-tags-v1', { per_page: 2, page: 2 }, { method: 'POST' }), second);
    const site = await seedSite(world, { tagIds: [ids['mango'] as number] });
    const [mango] = (await world.ability('list-tags-v1', { search: 'mango' })).items;
    assert.deepEqual(mango, { id: ids['mango'], name: 'mango', color: null, sites_count: 1 });
    await updateSite(world, site.id, { tags: [] });
    assert.equal((await world.ability('list-tags-v1', { search: 'mango' })).items[0].sites_count, 0);
  });

  it('when the sites of a tag are listed, then they are sorted by URL, with their status', async () => {
    const { id } = await add('Shop');
    const empty = { tag_id: id, tag_name: 'Shop', sites: [], page: 1, per_page: 20, total: 0 };
    assert.deepEqual(await world.ability('get-tag-sites-v1', { tag_id: id }), empty);
    const sites = [
      await seedSite(world, { tagIds: [id], status: 'suspended' }),
      await seedSite(world, { tagIds: [id] }),
      await seedSite(world, { tagIds: [id], status: 'disconnected' }),
    ];
    await seedSite(world);
    const input = { tag_id: id, page: 2, per_page: 2 };
    assert.deepEqual(await world.ability('get-tag-sites-v1', { tag_id: id }), { ...empty, sites, total: 3 });
    const second = { ...empty, sites: [sites[2]], page: 2, per_page: 2, total: 3 };
    for (const method of ['POST', 'GET'] as const)
      assert.deepEqual(await world.ability('get-tag-sites-v1', input, { method }), second);
  });

  it('when the clients of a tag are listed, then each has a site with the tag', async () => {
    const [{ id }, { id: other }] = [await add('Shop'), await add('Other')];
    const client = async (name: string, email = ''): Promise<number> =>
      (await world.ability('add-client-v1', { name, client_email: email })).id;
    const [zoo, abc, none] = [await client('Zoo'), await client('abc', 'abc@example.com'), await client('None')];
    for (const [clientId, tagIds] of [
      [zoo, [id]],
      [zoo, [id, other]],
      [zoo, [other]],
      [abc, [id]],
      [none, [other]],
      [none, []],
      [null, [id]],
    ] as const)
      await seedSite(world, { clientId, tagIds: [...tagIds] });
    const clients = [
      { id: abc, name: 'abc', email: 'abc@example.com', sites_with_tag: 1 },
      { id: zoo, name: 'Zoo', email: '', sites_with_tag: 2 },
    ];
    const answer = { tag_id: id, tag_name: 'Shop', clients, page: 1, per_page: 20, total: 2 };
    for (const method of ['POST', 'GET'] as const)
      assert.deepEqual(await world.ability('get-tag-clients-v1', { tag_id: id }, { method }), answer);
    const second = await world.ability('get-tag-clients-v1', { tag_id: id, page: 2, per_page: 1 });
    assert.deepEqual([second.clients, second.total], [[clients[1]], 2]);
    await world.ability('delete-client-v1', { client_id_or_email: zoo, confirm: true });
    const left = await world.ability('get-tag-clients-v1', { tag_id: id });
    assert.deepEqual([left.clients, left.total], [[clients[0]], 1]);
  });

  it('when a deletion is a dry run, then nothing is deleted; without confirm, it is rejected', async () => {
    const { id } = await add('Shop');
    const owner = (await world.ability('add-client-v1', { name: 'Owner' })).id;
    for (const clientId of [owner, owner, null]) await seedSite(world, { clientId, tagIds: [id] });
    const preview = {
      dry_run: true,
      deleted: false,
      tag_id: id,
      tag_name: 'Shop',
      sites_affected: 3,
      would_affect: { sites: 3, clients: 1, costs: 0, limits: 0 },
    };
    const before = await get(id);
    for (const method of ['POST', 'DELETE'] as const) {
      for (const input of [{}, { confirm: true }])
        assert.deepEqual(
          await world.ability('delete-tag-v1', { tag_id: id, dry_run: true, ...input }, { method }),
          preview,
        );
      for (const input of [{}, { confirm: false }]) {
        const refused = await world.ability<Refusal>(
          'delete-tag-v1',
          { tag_id: id, ...input },
          { method, expect: 400 },
        );
        assert.equal(refused.code, 'svc_confirmation_required');
      }
    }
    await world.ability('delete-tag-v1', { tag_id: 999_999, dry_run: true }, { expect: 404 });
    assert.deepEqual(await get(id), before);
  });

  it('when a tag is deleted with POST or DELETE, then its sites are kept, and costs no longer name it', async () => {
    for (const method of ['POST', 'DELETE'] as const) {
      const [{ id }, { id: other }] = [await add('Shop'), await add('Other')];
      const site = await seedSite(world, { tagIds: [id, other] });
      const targets = [{ kind: 'tag', id } as const, { kind: 'tag', id: other } as const];
      await world.container.services.costs.costs.create(ALL_SITES, { name: 'Theme', price: 1, targets }, 'test');
      assert.equal((await world.ability('count-sites-v1', { tag_ids: [id] })).total, 1);
      assert.equal((await world.ability('list-sites-v1', { tag_id: id })).total, 1);
      const input = { tag_id: id, confirm: true };
      const answer = { deleted: true, tag_id: id, tag_name: 'Shop' };
      assert.deepEqual(await world.ability('delete-tag-v1', input, { method }), answer);
      assert.equal((await world.ability('delete-tag-v1', input, { method, expect: 404 })).code, 'svc_tag_not_found');
      const { knex } = world.container.database;
      assert.deepEqual(await knex('cost_targets').pluck('target_id'), [other]);
      assert.deepEqual(await knex('site_tags').where({ site_id: site.id }).pluck('tag_id'), [other]);
      assert.equal((await world.ability('count-sites-v1', { tag_ids: [id] })).total, 0);
      assert.equal((await world.ability('list-sites-v1', { tag_id: id })).total, 0);
      assert.equal((await world.ability('list-tags-v1')).total, 1);
      assert.equal((await log()).at(-1), 'tag.deleted admin');
      await world.ability('delete-tag-v1', { tag_id: other, confirm: true });
    }
  });

  it('when there are 1,000 tags and sites, then each list needs no more SQL statements than for a few', async () => {
    const { id } = await add('Shop');
    const owner = (await world.ability('add-client-v1', { name: 'Owner' })).id;
    const { knex } = world.container.database;
    const measure = async (): Promise<number[]> => {
      const counts: number[] = [];
      for (const name of ['list-tags-v1', 'get-tag-sites-v1', 'get-tag-clients-v1']) {
        const input = name === 'list-tags-v1' ? {} : { tag_id: id };
        counts.push(await countStatementsUncached(world, () => world.ability(name, input)));
      }
      return counts;
    };
    for (let n = 0; n < 10; n++) await seedSite(world, { tagIds: [id], clientId: owner });
    const few = await measure();
    const times = { created_at: 1, updated_at: 1 };
    for (let start = 0; start < 1000; start += 50) {
      const names = Array.from({ length: 50 }, (_, offset) => `many-${start + offset}.example`);
      await knex('tags').insert(names.map((name) => ({ name, name_key: name, ...times })));
      const site = { status: 'connected', client_id: owner, ...times };
      await knex('sites').insert(
        names.map((name) => ({ url: `https://${name}/`, url_key: name, name, name_key: name, ...site })),
      );
      const ids = (await knex('sites').whereIn('url_key', names).pluck('id')) as number[];
      await knex('site_tags').insert(ids.map((site_id) => ({ tag_id: id, site_id, site_key: `many-${site_id}` })));
    }
    assert.deepEqual(await measure(), few);
    assert.equal((await world.ability('get-tag-clients-v1', { tag_id: id })).clients[0].sites_with_tag, 1010);
    assert.equal((await world.ability('list-tags-v1')).total, 1001);
  });

  it('when random operations have run, then counts and lists agree', async () => {
    const owners = [0, 1].map(() => 0);
    for (const n of [0, 1]) owners[n] = (await world.ability('add-client-v1', { name: `Owner ${n}` })).id;
    const tags = [(await add('tag 0')).id, (await add('tag 1')).id];
    const sites = [(await seedSite(world)).id, (await seedSite(world)).id, (await seedSite(world)).id];
    const step = fc.record({
      kind: fc.constantFrom('tag', 'own', 'replace'),
      site: fc.nat(2),
      owner: fc.constantFrom(0, 1, null),
      tag: fc.nat(1),
      tags: fc.subarray([0, 1]),
    });
    const agree = async (): Promise<void> => {
      const { items, total } = await world.ability('list-tags-v1');
      assert.deepEqual([items.length, total], [2, 2]);
      for (const { id, sites_count } of items) {
        const carried = await world.ability('get-tag-sites-v1', { tag_id: id });
        const had = await world.ability('get-tag-clients-v1', { tag_id: id });
        const preview = await world.ability('delete-tag-v1', { tag_id: id, dry_run: true });
        const counted = (await world.ability('count-sites-v1', { tag_ids: [id] })).total;
        assert.deepEqual(
          [carried.sites.length, carried.total, counted, preview.sites_affected],
          [sites_count, sites_count, sites_count, sites_count],
        );
        assert.deepEqual([had.total, preview.would_affect.clients], [had.clients.length, had.clients.length]);
        for (const client of had.clients) {
          const both = await world.ability('list-sites-v1', { client_id: client.id, tag_id: id });
          assert.equal(both.total, client.sites_with_tag);
        }
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const each of steps) {
          const site = { site_id_or_domain: sites[each.site] };
          if (each.kind === 'tag')
            await world.ability('update-site-v1', { ...site, tags: each.tags.map((n) => tags[n]) });
          else if (each.kind === 'own')
            await world.ability('update-site-v1', {
              ...site,
              client_id: each.owner === null ? null : owners[each.owner],
            });
          else {
            await world.ability('delete-tag-v1', { tag_id: tags[each.tag], confirm: true });
            tags[each.tag] = (await add(`tag ${each.tag}`)).id;
          }
          await agree();
        }
      }),
      { numRuns: 8 },
    );
  });
});
