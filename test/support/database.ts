import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { LongReadContext } from '../../src/db/long-read.ts';
import { createMemoryFolder } from '../../scripts/support/memory-folder.ts';
import { openDatabase, type Database, type DatabaseTarget } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import type { DatabasePool } from './server-databases.ts';

export interface TestDatabase {
  database: Database;
  /** For a second process on the same database. */
  target: DatabaseTarget;
  close: () => Promise<void>;
}

/** Returns a fresh, migrated database: on the server of TEST_DATABASE_URL if that is set, or else an SQLite file. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  return server ? openOnServer(server) : openFile();
}

/** Gives each test of a suite a fresh database. */
export function withFreshDatabase(take: (opened: TestDatabase) => void): void {
  let opened: TestDatabase;
  beforeEach(async () => take((opened = await openTestDatabase())));
  afterEach(() => opened.close());
}

/** Returns the SQL statements that a database receives during the work. `counts` decides for each statement. */
export async function recordStatements(
  knex: Knex,
  work: () => Promise<unknown>,
  counts: () => boolean = () => true,
): Promise<string[]> {
  const sent: string[] = [];
  const note = ({ sql }: { sql: string }): void => {
    if (counts()) sent.push(sql);
  };
  knex.on('query', note);
  try {
    await work();
  } finally {
    knex.off('query', note);
  }
  return sent;
}

/** Returns the SQL statements of the work that are marked with `longRead`, and those that are not. */
export async function recordLongReads(
  knex: Knex,
  work: () => Promise<unknown>,
): Promise<{ long: string[]; short: string[] }> {
  const sent = { long: [] as string[], short: [] as string[] };
  const note = ({ sql, queryContext }: { sql: string; queryContext?: LongReadContext }): void =>
    void sent[queryContext?.isLongRead === true ? 'long' : 'short'].push(sql);
  knex.on('query', note);
  try {
    await work();
  } finally {
    knex.off('query', note);
  }
  return sent;
}

/** Runs the calls one after the other. Returns the number of SQL statements of each. */
export async function countEachCall(knex: Knex, calls: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const counts: number[] = [];
  for (const call of calls) counts.push((await recordStatements(knex, call)).length);
  return counts;
}

/** A busy machine must not look like a database that does not answer. */
const STATEMENT_TIMEOUT_MS = 60_000;

let memory: Promise<string> | undefined;
/** The migrations run once per process. Further files are copies of their result. */
let migratedFile: Promise<Buffer> | undefined;
let serverDatabases: Promise<DatabasePool> | undefined;

async function openFile(): Promise<TestDatabase> {
  const migrated = await (migratedFile ??= migrateFile());
  const folder = await mkdtemp(join(await (memory ??= createMemoryFolder()), 'sitefleet-test-'));
  const file = join(folder, 'test.db');
  await writeFile(file, migrated);
  const target: DatabaseTarget = { dialect: 'sqlite', file };
  const database = openDatabase(target);
  return {
    database,
    target,
    async close() {
      await database.close();
      // A read that ends late opens the file again.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function migrateFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(await (memory ??= createMemoryFolder()), 'sitefleet-test-'));
  const file = join(folder, 'migrated.db');
  const database = openDatabase({ dialect: 'sqlite', file });
  await migrateUp(database.knex);
  // Writes the last changes from the WAL file to the database file.
  await database.knex.raw('pragma wal_checkpoint(truncate)');
  await database.close();
  const migrated = await readFile(file);
  await rm(folder, { recursive: true, force: true });
  return migrated;
}

/** Statements that change tables. No other test may use such a database. */
const CHANGES_TABLES = /^\s*(alter|create|drop|rename)\b/i;

async function openOnServer(server: string): Promise<TestDatabase> {
  // Loaded on demand, because most runs of a few files need no server.
  const databases = await (serverDatabases ??= import('./server-databases.ts').then(
    (of) => new of.DatabasePool(server),
  ));
  const lent = await databases.acquire();
  const target: DatabaseTarget = { dialect: 'mysql', url: lent.url, timeoutMs: STATEMENT_TIMEOUT_MS };
  const database = openDatabase(target);
  let areTablesAsMigrated = true;
  database.knex.on('query', ({ sql }: { sql: string }) => {
    if (CHANGES_TABLES.test(sql)) areTablesAsMigrated = false;
  });
  return {
    database,
    target,
    async close() {
      await database.close();
      await databases.release(lent, areTablesAsMigrated);
    },
  };
}

/** Removes the databases of the server. */
export const closeTestDatabases = async (): Promise<void> => (await serverDatabases)?.close();
