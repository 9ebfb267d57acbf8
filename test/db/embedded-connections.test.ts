import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { LOG_BYTES } from '../../src/db/drivers/sqlite-checkpoints.ts';
import { longRead } from '../../src/db/long-read.ts';
import { readPrepared } from '../../src/db/prepared.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { until } from '../support/until.ts';

describe('connections of the embedded database', () => {
  let folder: string;
  let database: Database;
  let knex: Knex;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    database = openDatabase({ dialect: 'sqlite', file: join(folder, 'test.db') });
    knex = database.knex;
    await knex.schema.createTable('things', (table) => void table.integer('size'));
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs statements until other callbacks have run five times, or for two seconds. Returns how often they ran. */
  async function turnsBeside(statement: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    for (const until = performance.now() + 2_000; turns < 5 && performance.now() < until;) await statement();
    clearInterval(timer);
    return turns;
  }

  it('when a task runs one statement after another, then other callbacks run between them', async () => {
    assert.equal(await turnsBeside(async () => knex('things').select('size')), 5);
    assert.equal(await turnsBeside(async () => knex('things').insert({ size: 1 })), 5);
    const within = (trx: Knex): Promise<number> => turnsBeside(async () => trx('things').insert({ size: 1 }));
    assert.equal(await knex.transaction(within), 5);
  });

  /** Counts to two million, which takes much longer than a turn. */
  const count = (): Knex.QueryBuilder =>
    knex
      .withRecursive('numbers', knex.raw('select 1 as n union all select n + 1 from numbers where n < 2000000'))
      .from('numbers')
      .max({ most: 'n' });

  it('when a read is marked as long, then other callbacks run while it runs', async () => {
    const turnsDuring = async (read: Knex.QueryBuilder): Promise<number> => {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      assert.deepEqual(await read, [{ most: 2_000_000 }]);
      clearInterval(timer);
      return turns;
    };
    assert.equal(await turnsDuring(count()), 0);
    assert.ok((await turnsDuring(longRead(count()))) > 5);
  });

  it('when a read is marked as long, then it returns what was committed, with the same values and errors', async () => {
    await knex.schema.alterTable('things', (table) => {
      table.text('name');
      table.binary('bytes');
    });
    await knex('things').insert({ size: 7, name: 'Schäfer', bytes: Buffer.from([0, 255]) });
    const things = (): Knex.QueryBuilder => knex('things').where('size', '>', 6).select('size', 'name', 'bytes');
    assert.deepEqual(await longRead(things()), await things());
    assert.deepEqual(await longRead(knex('things').where({ name: null })).first(), undefined);
    await knex.schema.alterTable('things', (table) => void table.integer('weight').defaultTo(3));
    assert.deepEqual(await longRead(knex('things')).pluck('weight'), [3]);
    await assert.rejects(async () => longRead(knex('nothing')), { code: 'SQLITE_ERROR', message: /no such table/ });
    await knex.transaction(async (trx) => {
      await trx('things').insert({ size: 8 });
      assert.equal((await longRead(trx('things'))).length, 2);
      assert.equal((await longRead(knex('things'))).length, 1);
    });
  });

  it('when a write is committed, then the next long read has it', async () => {
    for (let size = 1; size <= 50; size++) {
      if (size % 2 === 0) await knex('things').insert({ size });
      else await knex.transaction(async (trx) => trx('things').insert({ size }));
      assert.deepEqual(await longRead(knex('things')).max({ most: 'size' }).count({ n: '*' }), [
        { most: size, n: size },
      ]);
    }
  });

  it('when the database is closed during a long read, then the read fails and the thread ends', async () => {
    const reading = assert.rejects(async () => longRead(count()), /thread for long reads has ended/);
    await new Promise(setImmediate);
    await database.close();
    await reading;
  });

  it('when the database is closed, then its file has everything that was in the write-ahead log', async () => {
    await knex('things').insert({ size: 7 });
    assert.deepEqual(await knex('things').select('size'), [{ size: 7 }]);
    await database.close();
    assert.equal((await stat(join(folder, 'test.db-wal')).catch(() => ({ size: 0 }))).size, 0);
    await copyFile(join(folder, 'test.db'), join(folder, 'copy.db'));
    const copy = openDatabase({ dialect: 'sqlite', file: join(folder, 'copy.db') });
    assert.deepEqual(await copy.knex('things').select('size'), [{ size: 7 }]);
    await copy.close();
  });

  it('when a transaction is larger than the write-ahead log may be, then the log is copied and begins again', async () => {
    await knex.schema.createTable('texts', (table) => void table.text('text'));
    const text = 'x'.repeat(LOG_BYTES / 100);
    await knex.transaction(async (trx) => {
      for (let index = 0; index < 120; index++) await trx('texts').insert({ text });
    });
    const logBytes = async (): Promise<number> => (await stat(join(folder, 'test.db-wal'))).size;
    assert.ok((await logBytes()) > LOG_BYTES);
    await until(async () => {
      await knex('things').insert({ size: 1 });
      return (await logBytes()) <= LOG_BYTES;
    }, 'a shorter log');
    assert.deepEqual(await knex('texts').count({ n: '*' }), [{ n: 120 }]);
  });

  it('when a transaction is open, then reads outside do not wait for it and do not see its changes', async () => {
    const sizes = (): Promise<number[]> => knex('things').pluck<number[]>('size');
    await knex.transaction(async (trx) => {
      await trx('things').insert({ size: 1 });
      assert.deepEqual(await sizes(), []);
      assert.deepEqual(await readPrepared(knex, 'select size from things where size = ?', [1]), []);
      assert.equal((await knex('things').first('size')) as unknown, undefined);
      assert.deepEqual(await trx('things').pluck('size'), [1]);
    });
    assert.deepEqual(await sizes(), [1]);
  });

  it('when the schema changes, then reads have the new columns', async () => {
    await knex('things').insert({ size: 1 });
    const all = (): Promise<object[]> => knex('things').select('*');
    assert.deepEqual(await all(), [{ size: 1 }]);
    await knex.schema.alterTable('things', (table) => void table.integer('weight'));
    assert.deepEqual(await all(), [{ size: 1, weight: null }]);
  });
});
