import assert from 'node:assert/strict';
import type { Database } from '../../src/db/database.ts';
import { migrateUp, MIGRATIONS, migrationStatus } from '../../src/db/migrations/index.ts';
import { StartupError } from '../../src/shared/startup-error.ts';
import { withEmptyDatabase } from '../support/empty-database.ts';

const PROCESSES = 4;
const ROUNDS = 3;
const NAMES = MIGRATIONS.map(({ name }) => name);

describe('processes that migrate at once', () => {
  for (let round = 1; round <= ROUNDS; round++)
    it(`when they start on an empty database, then each migration is applied once (round ${round})`, async () => {
      await withEmptyDatabase(PROCESSES, async (processes) => {
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
    await withEmptyDatabase(PROCESSES, async (processes) => {
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
    await withEmptyDatabase(PROCESSES, async (processes) => {
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
