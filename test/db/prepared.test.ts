import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { insertRows } from '../../src/db/insert-rows.ts';
import { listOf, readPrepared, writePrepared } from '../../src/db/prepared.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { recordStatements, withFreshDatabase } from '../support/database.ts';

const tag = (id: number, name: string) => ({ id, name, name_key: name, created_at: 1, updated_at: 1 });
const NAMED = 'select id, name from tags where name = ?';

describe('prepared statements', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));
  beforeEach(() => knex('tags').insert([tag(1, 'a'), tag(2, "b' or '1' = '1"), tag(3, 'c')]));

  it('when a value contains SQL, then it is compared as a value', async () => {
    assert.deepEqual(await readPrepared(knex, NAMED, ["b' or '1' = '1"]), [{ id: 2, name: "b' or '1' = '1" }]);
    assert.deepEqual(await readPrepared(knex, NAMED, ["x' or '1' = '1"]), []);
  });

  it('when a transaction reads, then it sees its own rows, and others do not see them', async () => {
    await assert.rejects(
      inTransaction(knex, async ({ trx }) => {
        await trx('tags').insert(tag(4, 'd'));
        assert.deepEqual(await readPrepared(trx, NAMED, ['d']), [{ id: 4, name: 'd' }]);
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(await readPrepared(knex, NAMED, ['d']), []);
  });

  it('when a statement fails, then its connection is free for the next one', async () => {
    for (let attempt = 0; attempt < 20; attempt++)
      await assert.rejects(readPrepared(knex, 'select id from nowhere where id = ?', [1]), /nowhere/);
    assert.equal((await readPrepared(knex, NAMED, ['a'])).length, 1);
  });

  it('when a statement runs, then it is among the recorded ones', async () => {
    const statements = await recordStatements(knex, () => readPrepared(knex, NAMED, ['a']));
    assert.equal(statements.length, 1);
  });

  it('when rows are written, then each row that matches counts, also an unchanged one', async () => {
    const rename = 'update tags set name = ? where id <= ?';
    assert.equal(await writePrepared(knex, rename, ['z', 2]), 2);
    assert.equal(await writePrepared(knex, rename, ['z', 2]), 2);
    assert.equal(await writePrepared(knex, rename, ['z', 0]), 0);
    assert.deepEqual(await knex('tags').orderBy('id').pluck('name'), ['z', 'z', 'c']);
  });

  it('when rows with a stored key are inserted, then only the given columns of the stored row change', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => ({ ...tag(index + 3, `new ${index}`), updated_at: 2 }));
    await inTransaction(knex, async ({ trx }) => {
      await insertRows(trx, 'tags', rows, { key: ['id'], columns: ['name', 'name_key'] });
      await insertRows(trx, 'tags', []);
    });
    assert.equal((await knex('tags').pluck('id')).length, 252);
    const stored = await knex('tags').whereIn('id', [2, 3, 252]).orderBy('id').select('name', 'updated_at');
    assert.deepEqual(stored, [
      { name: "b' or '1' = '1", updated_at: 1 },
      { name: 'new 0', updated_at: 1 },
      { name: 'new 249', updated_at: 2 },
    ]);
  });

  it('when a list is bound, then its values are found once, and lists of several lengths have one text', async () => {
    const texts = new Set<string>();
    for (const [ids, found] of [
      [[3], [3]],
      [
        [3, 1],
        [1, 3],
      ],
      [
        [1, 2, 3, 99],
        [1, 2, 3],
      ],
    ] as const) {
      const { placeholders, bindings } = listOf(ids);
      texts.add(placeholders);
      const sql = `select id from tags where id in (${placeholders}) order by id`;
      assert.deepEqual(
        (await readPrepared<{ id: number }>(knex, sql, bindings)).map(({ id }) => id),
        found,
      );
    }
    assert.equal(texts.size, 2);
    assert.equal(listOf(Array.from({ length: 700 }, (_, at) => at)).bindings.length, 700);
  });
});
