import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { sqliteModule, type SqliteFile } from '../../src/db/drivers/sqlite-module.ts';
import { DatabaseHealth } from '../../src/db/database-health.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { DatabaseUnavailableError } from '../../src/shared/errors.ts';
import { until } from '../support/until.ts';

const PATIENCE_MS = 600;
const tag = (name: string) => ({ name, name_key: name, created_at: 1, updated_at: 1 });
const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError &&
  error.code === 'svc_database_unavailable' &&
  Number(error.data['retry_after_seconds']) > 0;

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('SQLite file that other processes use', () => {
  let folder: string;
  let database: Database;
  let knex: Knex;
  let other: SqliteFile;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    const file = join(folder, 'test.db');
    database = openDatabase({ dialect: 'sqlite', file, timeoutMs: PATIENCE_MS });
    knex = database.knex;
    await migrateUp(knex);
    other = new sqliteModule.DatabaseSync(file);
  });
  afterEach(async () => {
    other.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string): Promise<unknown> => inTransaction(knex, ({ trx }) => trx('tags').insert(tag(name)));
  const names = (): Promise<string[]> => knex('tags').orderBy('name').pluck<string[]>('name');

  it('when another process writes, then writes wait for it and reads do not', async () => {
    other.exec('begin immediate');
    const writes = [write('a'), knex('tags').insert(tag('b')), write('c')];
    assert.deepEqual(await names(), [], 'reading does not wait');
    await sleep(60);
    other.exec('commit');
    await Promise.all(writes);
    assert.deepEqual(await names(), ['a', 'b', 'c']);
  });

  it('when the wait times out, then the error is unavailable, and later writes succeed', async () => {
    other.exec('begin immediate');
    let ran = 0;
    const work = inTransaction(knex, async () => void ran++);
    await Promise.all([
      assert.rejects(write('a'), isUnavailable),
      assert.rejects(async () => knex('tags').insert(tag('b')), isUnavailable),
      assert.rejects(work, isUnavailable),
    ]);
    assert.equal(ran, 0, 'work whose transaction did not begin is not run');
    other.exec('commit');
    await write('c');
    await knex('tags').insert(tag('d'));
    assert.deepEqual(await names(), ['c', 'd']);
  });

  it('when a connection is returned inside a transaction, then a new connection replaces it', async () => {
    await knex.raw('begin immediate');
    other.exec('begin immediate');
    other.exec('commit');
    await write('kept');
    assert.deepEqual(await names(), ['kept']);
  });

  it('when a transaction has read, then it can still write, because other writers wait', async () => {
    await inTransaction(knex, async ({ trx }) => {
      const before = await trx('tags').pluck('name');
      assert.throws(() =>
        other.exec(`insert into tags (name, name_key, created_at, updated_at) values ('x', 'x', 1, 1)`),
      );
      await trx('tags').insert(tag(`after ${before.length}`));
    });
    assert.deepEqual(await names(), ['after 0']);
  });

  it('when the clock is set back during a check, then nobody waits longer for it', async () => {
    const slow = openDatabase({ dialect: 'sqlite', file: join(folder, 'test.db'), timeoutMs: 5 * PATIENCE_MS });
    let now = systemClock.now();
    const health = new DatabaseHealth(slow.knex, { now: () => now });
    assert.equal(await health.reason(), null);
    other.exec('begin immediate');
    now += 2000;
    const first = health.reason();
    now -= 3_600_000;
    assert.equal(await health.reason(), null);
    await first;
    other.exec('commit');
    await slow.close();
  });

  it('when a transaction of this process takes longer than the check waits, then the database is ready', async () => {
    const health = new DatabaseHealth(knex, systemClock);
    let finish = (): void => undefined;
    const working = new Promise<void>((resolve) => (finish = resolve));
    const transaction = inTransaction(knex, async ({ trx }) => {
      await trx('tags').insert(tag('a'));
      await working;
    });
    const reason = await health.reason();
    finish();
    await transaction;
    assert.equal(reason, null);
  });

  it('when a writer blocks the file until the timeout, then the database is not ready until it ends', async () => {
    const slow = openDatabase({ dialect: 'sqlite', file: join(folder, 'test.db'), timeoutMs: 2.5 * PATIENCE_MS });
    let now = systemClock.now();
    const health = new DatabaseHealth(slow.knex, { now: () => now });
    other.exec('begin immediate');
    assert.equal(await health.reason(), null, 'busy');
    const busy = /^The database cannot be written \(SQLITE_BUSY\)\.$/;
    await until(async () => busy.test((await health.reason()) ?? ''), 'the check to fail');
    now += 2000;
    assert.match((await health.reason()) ?? '', busy, 'the next check is still waiting');
    other.exec('commit');
    await until(async () => (await health.reason()) === null, 'the check to succeed');
    await slow.close();
  });

  it('when reads get no answer either, then the database is not ready after a second', async () => {
    const hung = { client: knex.client, schema: { hasTable: () => new Promise(() => undefined) } };
    const silent = Object.assign(() => ({ first: () => new Promise(() => undefined) }), hung) as unknown as Knex;
    assert.equal(await new DatabaseHealth(silent, systemClock).reason(), 'The database does not answer.');
  });

  it('when the database cannot be written, then it is not ready, and ready again afterwards', async () => {
    let now = systemClock.now();
    const health = new DatabaseHealth(knex, { now: () => now });
    assert.equal(await health.reason(), null);
    other.exec('begin immediate');
    assert.equal(await health.reason(), null, 'asking often costs nothing');
    now += 2000;
    assert.match((await health.reason()) ?? '', /^The database cannot be written \(SQLITE_BUSY\)\.$/);
    other.exec('commit');
    // The clock was set back: the last result is not kept until that time comes again.
    now -= 3_600_000;
    assert.equal(await health.reason(), null);
    await knex.raw('pragma query_only = on');
    now += 2000;
    assert.match((await health.reason()) ?? '', /^The database cannot be written \(SQLITE_READONLY\)\.$/);
    await assert.rejects(write('a'), isUnavailable);
    await knex.raw('pragma query_only = off');
    await knex.raw('pragma max_page_count = 1');
    const full = inTransaction(knex, ({ trx }) =>
      trx('settings').insert({ name: 'x', value: 'x'.repeat(500_000), updated_at: 1 }),
    );
    await assert.rejects(full, isUnavailable, 'a full disk');
  });
});
