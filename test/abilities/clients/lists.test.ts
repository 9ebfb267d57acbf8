import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatementsUncached } from '../../support/statements.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const idsOf = (items: { id: number }[]): number[] => items.map(({ id }) => id);

describe('list-clients-v1 and count-clients-v1', () => {
  let world: World;
  let ids: Record<string, number>;
  const add = (input: object): Promise<{ id: number }> => world.ability('add-client-v1', input);

  before(async () => {
    world = await startWorld();
    ids = {};
    for (const [name, client_email] of [
      ['zebra', 'z@shop.example'],
      ['Apple', 'apple@example.com'],
      ['apple', ''],
      ['50% off_', 'Sale@Example.com'],
      ['mango', ''],
    ] as const)
      ids[`${name} ${client_email}`.trim()] = (await add({ name, client_email })).id;
    await world.ability('suspend-client-v1', { client_id_or_email: ids['mango'] });
  });
  after(() => world.close());

  const found = async (input: object = {}): Promise<string[]> => {
    const { items, total } = await world.ability('list-clients-v1', { ...input, per_page: 100 });
    assert.equal(total, items.length);
    return items.map(({ name }: { name: string }) => name);
  };

  it('when clients are listed, then they are sorted by name without case, then by ID', async () => {
    const answer = await world.ability('list-clients-v1');
    assert.deepEqual([answer.page, answer.per_page, answer.total], [1, 20, 5]);
    assert.deepEqual(
      idsOf(answer.items),
      ['50% off_ Sale@Example.com', 'Apple apple@example.com', 'apple', 'mango', 'zebra z@shop.example'].map(
        (name) => ids[name],
      ),
    );
    const { created_at, ...mango } = answer.items[3];
    assert.match(created_at, TIME);
    const expected = { id: ids['mango'], name: 'mango', email: '', phone: '', status: 'suspended', sites_count: 0 };
    assert.deepEqual(mango, expected);
  });

  it('when pages are requested, then each has the same total, even after the last page', async () => {
    const second = await world.ability('list-clients-v1', { page: 2, per_page: 2 });
    assert.deepEqual([idsOf(second.items), second.total], [[ids['apple'], ids['mango']], 5]);
    const past = await world.ability('list-clients-v1', { page: 9, per_page: 2 });
    assert.deepEqual([past.items, past.total, past.page], [[], 5, 9]);
  });

  it('when a status is given, then list and count filter by it', async () => {
    assert.deepEqual(await found({ status: 'suspended' }), ['mango']);
    assert.equal((await found({ status: 'active' })).length, 4);
    for (const [status, total] of [
      ['any', 5],
      ['active', 4],
      ['suspended', 1],
    ])
      assert.equal((await world.ability('count-clients-v1', { status })).total, total);
    await world.ability('unsuspend-client-v1', { client_id_or_email: ids['mango'] });
    assert.deepEqual(await found({ status: 'suspended' }), []);
    assert.equal((await world.ability('count-clients-v1', { status: 'suspended' })).total, 0);
    await world.ability('suspend-client-v1', { client_id_or_email: ids['mango'] });
  });

  it('when a text is searched, then names and e-mail addresses match in any case, without wildcards', async () => {
    assert.deepEqual(await found({ search: 'APPLE' }), ['Apple', 'apple']);
    assert.deepEqual(await found({ search: 'sale@EXAMPLE' }), ['50% off_']);
    assert.deepEqual(await found({ search: ' shop ' }), ['zebra']);
    assert.deepEqual(await found({ search: '%' }), ['50% off_']);
    assert.deepEqual(await found({ search: 'off_' }), ['50% off_']);
    assert.deepEqual(await found({ search: 'a_p' }), []);
    assert.deepEqual(await found({ search: "'" }), []);
  });

  it('when IDs are included and excluded, then both apply, and all filters combine', async () => {
    const [apple, mango, zebra] = [ids['apple'], ids['mango'], ids['zebra z@shop.example']];
    assert.deepEqual(await found({ include: [mango, apple, 999] }), ['apple', 'mango']);
    assert.deepEqual(await found({ exclude: [mango, apple] }), ['50% off_', 'Apple', 'zebra']);
    assert.deepEqual(await found({ include: [mango, apple], exclude: [mango] }), ['apple']);
    assert.equal((await found({ include: [], exclude: [] })).length, 5);
    const input = { include: [mango, apple, zebra], exclude: [zebra], status: 'active', search: 'A' };
    assert.deepEqual(await found(input), ['apple']);
    const byPost = await world.ability('list-clients-v1', input, { method: 'POST' });
    assert.deepEqual(await world.ability('list-clients-v1', input, { method: 'GET' }), byPost);
  });

  it('when there are 1,000 clients, then the list needs no more SQL statements than for a few', async () => {
    const calls: [string, object][] = [
      ['list-clients-v1', {}],
      ['list-clients-v1', { per_page: 100, search: 'a', status: 'active', exclude: [7] }],
      ['count-clients-v1', { status: 'active' }],
    ];
    const measure = async (): Promise<number[]> => {
      const counts: number[] = [];
      for (const [name, input] of calls)
        counts.push(await countStatementsUncached(world, () => world.ability(name, input)));
      return counts;
    };
    const { knex } = world.container.database;
    const few = await measure();
    const now = Date.now();
    for (let start = 0; start < 1000; start += 50)
      await knex('clients').insert(
        Array.from({ length: 50 }, (_, offset) => ({
          name: `Seeded ${start + offset}`,
          name_key: `seeded ${start + offset}`,
          note: '',
          status: 'active',
          created_at: now,
          updated_at: now,
        })),
      );
    const first = (await knex('clients').where({ name: 'Seeded 0' }).first<{ id: number }>('id')).id;
    for (let n = 0; n < 40; n++) await seedSite(world, { clientId: first + n });
    assert.deepEqual(await measure(), few);
    assert.equal((await world.ability('count-clients-v1')).total, 1005);
    assert.ok(Math.max(...few) <= 7, few.join());
  });
});
