import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';
import { withNamedLock } from '../named-lock.ts';

/** Knex created these tables in earlier releases, and still uses them to revert migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';
const LOCK_TABLE = 'schema_migrations_lock';
const LOCK_ROW = { index: 1, is_locked: 0 };

const MYSQL_WAIT_SECONDS = 600;
/**
 * Time to wait for the lock of another process on SQLite. No migration of a SQLite file takes this long. If the lock is
 * older, the process that took it was killed.
 */
const FILE_WAIT_MS = 60_000;
const FILE_POLL_MS = 100;

export async function appliedMigrations(knex: Knex): Promise<string[]> {
  if (!(await knex.schema.hasTable(MIGRATIONS_TABLE))) return [];
  return knex(MIGRATIONS_TABLE).orderBy('id').pluck<string[]>('name');
}

export async function recordMigration(knex: Knex, name: string): Promise<void> {
  const [row] = await knex(MIGRATIONS_TABLE).max<{ batch: number | null }[]>({ batch: 'batch' });
  await knex(MIGRATIONS_TABLE).insert({ name, batch: (row?.batch ?? 0) + 1, migration_time: new Date() });
}

export async function withMigrationLock<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  if (isMysql(knex))
    return withNamedLock(knex, 'migrations', MYSQL_WAIT_SECONDS, async () => {
      await ensureMigrationTables(knex);
      return work();
    });
  await ensureMigrationTables(knex);
  for (let waited = 0; !(await takeMigrationLock(knex)) && waited < FILE_WAIT_MS; waited += FILE_POLL_MS)
    await sleep(FILE_POLL_MS);
  try {
    return await work();
  } finally {
    await switchMigrationLock(knex, 1, 0);
  }
}

/**
 * Reads before it writes, because a write would have to wait until the migration of another process is complete. A raw
 * statement is not sent on the connection for reads, which schema changes of this process close.
 */
async function takeMigrationLock(knex: Knex): Promise<boolean> {
  const [row] = await knex.raw<{ is_locked: number }[]>('select is_locked from ??', [LOCK_TABLE]);
  return row?.is_locked === 0 && (await switchMigrationLock(knex, 0, 1)) > 0;
}

const switchMigrationLock = (knex: Knex, from: number, to: number): Promise<number> =>
  knex(LOCK_TABLE).where({ is_locked: from }).update({ is_locked: to });

async function ensureMigrationTables(knex: Knex): Promise<void> {
  await createTableIfMissing(knex, MIGRATIONS_TABLE, (table) => {
    table.increments();
    table.string('name');
    table.integer('batch');
    table.timestamp('migration_time');
  });
  await createTableIfMissing(knex, LOCK_TABLE, (table) => {
    table.increments('index').primary();
    table.integer('is_locked');
  });
  const [first, ...others] = await knex(LOCK_TABLE).orderBy('index').pluck<number[]>('index');
  // The fixed key keeps two processes from inserting two rows. Earlier releases could do so, and then all processes
  // waited for each other.
  if (first === undefined) await knex(LOCK_TABLE).insert(LOCK_ROW).onConflict('index').ignore();
  if (others.length > 0) await knex(LOCK_TABLE).whereIn('index', others).delete();
}

export async function createTableIfMissing(
  knex: Knex,
  name: string,
  define: (table: Knex.CreateTableBuilder) => void,
): Promise<void> {
  if (await knex.schema.hasTable(name)) return;
  await knex.schema.createTable(name, define).catch(async (error: unknown) => {
    if (!(await knex.schema.hasTable(name))) throw error;
  });
}
