import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { databaseTimeSql, readDatabaseTime } from '../../src/db/database-clock.ts';
import { isMysql, likePattern, lockForClaim } from '../../src/db/dialect.ts';
import { fromJson, toJson } from '../../src/db/json.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { withFreshDatabase, type TestDatabase } from '../support/database.ts';

const tag = (name: string) => ({ name, name_key: name, created_at: 1, updated_at: 1 });

describe('common behavior of both databases', () => {
  let store: TestDatabase;
  let knex: Knex;
  withFreshDatabase((opened) => {
    store = opened;
    knex = opened.database.knex;
  });

  it('when the dialect is read, then it matches the database', () => {
    assert.equal(isMysql(knex), Boolean(process.env['TEST_DATABASE_URL']));
    assert.equal(store.database.dialect, isMysql(knex) ? 'mysql' : 'sqlite');
  });

  it('when a search contains wildcards of LIKE, then they are plain characters', async () => {
    const names = ['100%', '100x', 'a_b', 'axb', 'wow!', 'wow', '!%_', '\\', "o'clock", '%'];
    await knex('tags').insert(names.map(tag));
    const found = (text: string) =>
      knex('tags')
        .whereRaw(`name_key like ? escape '!'`, [likePattern(text)])
        .orderBy('id')
        .pluck<string[]>('name');
    assert.deepEqual(await found('%'), ['100%', '!%_', '%']);
    assert.deepEqual(await found('_'), ['a_b', '!%_']);
    assert.deepEqual(await found('!'), ['wow!', '!%_']);
    assert.deepEqual(await found('!%_'), ['!%_']);
    assert.deepEqual(await found('0%'), ['100%']);
    assert.deepEqual(await found('\\'), ['\\']);
    assert.deepEqual(await found("'"), ["o'clock"]);
    assert.equal((await found('')).length, names.length);
  });

  it('when the clock of a process is wrong, then the time of a server stays right', async () => {
    const [before, time, after] = [Date.now(), await readDatabaseTime(knex, systemClock), Date.now()];
    assert.ok(time >= before - 1 && time <= after + 1, `${time} is not between ${before} and ${after}`);
    const later = await knex.select<{ at: number }[]>(knex.raw('? as at', [databaseTimeSql(knex, systemClock, 5_000)]));
    assert.ok(Number(later[0]?.at) >= time + 5_000);
    const real = Date.now;
    Date.now = () => real() + 90_000;
    try {
      const ahead = await readDatabaseTime(knex, systemClock);
      assert.equal(ahead - time > 60_000, !isMysql(knex));
    } finally {
      Date.now = real;
    }
    assert.equal(await readDatabaseTime(knex, { now: () => 7 }), 7);
  });

  it('when an update changes no value, then its row still counts as affected', async () => {
    await knex('tags').insert(tag('a'));
    for (let round = 0; round < 2; round++)
      assert.equal(await knex('tags').where({ name: 'a' }).update({ color: '#ffffff' }), 1);
    assert.equal(await knex('tags').where({ name: 'b' }).update({ color: '#ffffff' }), 0);
    assert.equal(await knex('tags').where({ name: 'a' }).delete(), 1);
  });

  it('when numbers are stored, then they are read as numbers, also timestamps', async () => {
    const at = 4_102_444_800_000;
    await knex('tags').insert({ ...tag('a'), created_at: at });
    const row = await knex('tags').first<{ id: number; created_at: number }>('id', 'created_at');
    assert.deepEqual([typeof row.id, row.created_at], ['number', at]);
  });

  it('when texts are stored, then every character is kept and long texts are not cut', async () => {
    const text = `🚀 ünïcode \u0001 ' " \\ \n${'x'.repeat(200_000)}`;
    await knex('settings').insert({ name: 'long', value: text, updated_at: 1 });
    assert.equal((await knex('settings').first<{ value: string }>('value')).value, text);
  });

  it('when JSON is stored, then it is stored as text', () => {
    const value = { a: [1, null, 'ü'], b: { c: false } };
    assert.deepEqual(fromJson(toJson(value)), value);
    assert.equal(fromJson(null), null);
  });

  it('when a row with the key exists, then it is merged, otherwise it is inserted', async () => {
    await knex('tags').insert([tag('a'), tag('b')]);
    await knex('tags')
      .insert([{ id: 1, ...tag('a'), color: '#000000' }])
      .onConflict('id')
      .merge(['color']);
    assert.deepEqual(await knex('tags').orderBy('id').pluck('color'), ['#000000', null]);
  });

  it('when many rows are merged at once, then existing rows are updated and the others inserted', async () => {
    await knex('tags').insert([tag('a'), tag('b')]);
    const rows = [
      { id: 1, ...tag('a'), color: '#000000' },
      { id: 2, ...tag('x'), color: null },
      { id: 3, ...tag('c'), color: '#ffffff' },
    ];
    await knex('tags').insert(rows).onConflict('id').merge(['color']);
    assert.deepEqual(await knex('tags').orderBy('id').select('name', 'color'), [
      { name: 'a', color: '#000000' },
      { name: 'b', color: null },
      { name: 'c', color: '#ffffff' },
    ]);
    await knex('tags')
      .insert([tag('a'), tag('d')].map((row, at) => ({ id: at + 3, ...row })))
      .onConflict('id')
      .ignore();
    assert.deepEqual(await knex('tags').orderBy('id').pluck('name'), ['a', 'b', 'c', 'd']);
  });

  it('when rows of one insert have different columns, then omitted columns get their default', async () => {
    await knex('tags').insert([tag('a'), { ...tag('b'), color: '#123456' }]);
    assert.deepEqual(await knex('tags').orderBy('id').pluck('color'), [null, '#123456']);
  });

  it('when a statement has a limit, then SQLite uses one plan for all numbers', async () => {
    await knex('tags').insert(['a', 'b', 'c'].map(tag));
    const list = knex('tags').orderBy('id').limit(1).offset(1);
    assert.deepEqual(await list.clone().pluck('name'), ['b']);
    assert.equal(list.toSQL().bindings.length, isMysql(knex) ? 2 : 1);
    assert.deepEqual(await knex('tags').orderBy('id').offset(1).pluck('name'), ['b', 'c']);
    assert.deepEqual(await knex('tags').limit(0).pluck('name'), []);
  });

  it('when two claims run at the same time, then they take different rows', async () => {
    await knex('tags').insert([tag('a'), tag('b'), tag('c')]);
    const claim = () =>
      knex.transaction(async (trx) => {
        const query = trx('tags').whereNull('color').orderBy('id').limit(1).select<{ id: number }[]>('id');
        const rows = await lockForClaim(trx, query);
        await new Promise((resolve) => setTimeout(resolve, 30));
        const ids = rows.map(({ id }) => id);
        await trx('tags').whereIn('id', ids).update({ color: '#111111' });
        return ids;
      });
    const ids = (await Promise.all([claim(), claim(), claim()])).flat();
    assert.equal(new Set(ids).size, ids.length, String(ids));
    assert.ok(ids.length >= 1);
  });
});
