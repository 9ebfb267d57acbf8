import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, dropDatabase } from '../../scripts/support/server-database.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { withNamedLock } from '../../src/db/named-lock.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { DatabaseUnavailableError } from '../../src/shared/errors.ts';

const server = process.env['TEST_DATABASE_URL'];
/** Longer than the 5 seconds after which the server ends an idle transaction. */
const STANDSTILL_MS = 7000;

(server ? describe : describe.skip)('a process that stands still', () => {
  let stalled: Database;
  let other: Database;
  let drop: () => Promise<void>;
  before(async () => {
    const made = await createDatabase(server as string);
    drop = () => dropDatabase(made);
    [stalled, other] = [1, 2].map(() => openDatabase({ dialect: 'mysql', url: made.url })) as [Database, Database];
    await other.knex.schema.createTable('records', (table) => {
      table.integer('id').primary();
      table.integer('value');
    });
    await other.knex('records').insert({ id: 1, value: 0 });
  });
  after(async () => {
    await stalled.close();
    await other.close();
    await drop();
  });

  it('when it holds the lock of a row, then another process gets it, and its own transaction is undone', async () => {
    let hasLock = (): void => undefined;
    const locked = new Promise<void>((resolve) => (hasLock = resolve));
    const standstill = inTransaction(stalled.knex, async ({ trx }) => {
      await trx('records').where({ id: 1 }).forUpdate();
      hasLock();
      await sleep(STANDSTILL_MS);
      await trx('records').where({ id: 1 }).update({ value: 1 });
    });
    const refused = assert.rejects(standstill, DatabaseUnavailableError);
    await locked;
    await inTransaction(other.knex, async ({ trx }) => {
      await trx('records').where({ id: 1 }).increment('value', 10);
    });
    await refused;
    assert.deepEqual(await other.knex('records').pluck('value'), [10]);
    await inTransaction(stalled.knex, ({ trx }) => trx('records').where({ id: 1 }).increment('value', 100));
    assert.deepEqual(await other.knex('records').pluck('value'), [110]);
  });

  it('when it holds a named lock, as during a long migration, then it keeps it', async () => {
    const held = withNamedLock(stalled.knex, 'long work', 1, () => sleep(STANDSTILL_MS));
    await sleep(STANDSTILL_MS - 1000);
    await assert.rejects(
      withNamedLock(other.knex, 'long work', 0, () => Promise.resolve()),
      /could not be acquired/,
    );
    await held;
    assert.equal(await withNamedLock(other.knex, 'long work', 0, () => Promise.resolve('free')), 'free');
  });
});
