import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, dropDatabase } from '../../scripts/support/server-database.ts';
import { openDatabase, type Database, type DatabaseTarget } from '../../src/db/database.ts';
import { migrateUp, MIGRATIONS, migrationStatus } from '../../src/db/migrations/index.ts';
import { StartupError } from '../../src/shared/startup-error.ts';

const PROCESSES = 4;
const ROUNDS = 3;
const NAMES = MIGRATIONS.map(({ name }) => name);

/** Calls `work` with connections of several processes to a new, empty database. */
async function withEmptyDatabase(work: (processes: readonly Database[]) => Promise<void>): Promise<void> {
  const server = process.env['TEST_DATABASE_URL'];
  const made = server ? await createDatabase(server) : null;
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
  const target: DatabaseTarget = made
    ? { dialect: 'mysql', url: made.url }
    : { dialect: 'sqlite', file: join(folder, 'test.db') };
  const processes = Array.from({ length: PROCESSES }, () => openDatabase(target));
  try {
    await work(processes);
  } finally {
    for (const each of processes) await each.close();
    await rm(folder, { recursive: true });
    if (made) await dropDatabase(made);
  }
}

describe('processes that migrate at once', () => {
  for (let round = 1; round <= ROUNDS; round++)
    it(`when they start on an empty database, then each migration is applied once (round ${round})`, async () => {
      await withEmptyDatabase(async (processes) => {
        const applied = await Promise.all(
          processes.map(async ({ knex }) => {
            await migrationStatus(knex);
            return migrateUp(knex);
          }),
        );
        assert.deepEqual(applied.flat(), NAMES);
        const [{ knex }] = processes as [Database];
        assert.deepEqual(await knex('schema_migrations').orderBy('id').pluck('name'), NAMES);
        assert.deepEqual(await knex('schema_migrations_lock').pluck('is_locked'), [0]);
      });
    });

  it('when an earlier release has left two lock rows, then the migrations are applied', async () => {
    await withEmptyDatabase(async (processes) => {
      const [{ knex }] = processes as [Database];
      await migrateUp(knex);
      await knex('schema_migrations')
        .where({ name: NAMES.at(-1) })
        .delete();
      await MIGRATIONS.at(-1)?.down(knex);
      await knex('schema_migrations_lock').insert({ is_locked: 0 });
      assert.deepEqual(await migrateUp(knex), [NAMES.at(-1)]);
      assert.deepEqual(await knex('schema_migrations_lock').pluck('is_locked'), [0]);
    });
  });

  it('when a later release has migrated the database, then the error names its migration', async () => {
    await withEmptyDatabase(async (processes) => {
      const [{ knex }] = processes as [Database];
      await migrateUp(knex);
      await knex('schema_migrations').insert({ name: '20991231T0000_later', batch: 1 });
      await assert.rejects(migrateUp(knex), (error: Error) => {
        assert.ok(error instanceof StartupError);
        assert.match(error.message, /^A later release has migrated the database \(20991231T0000_later\)\./);
        return true;
      });
    });
  });
});
