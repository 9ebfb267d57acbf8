import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { RowDataPacket } from 'mysql2/promise';
import { inMemory } from '../../scripts/memory-folder.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';

export interface TestDatabase {
  database: Database;
  close: () => Promise<void>;
}

/** A fresh, migrated database: on the server of TEST_DATABASE_URL when that is set, else an SQLite file. */
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

/** The SQL that a database is sent while `work` does. */
export async function sqlOf(knex: Knex, work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const note = ({ sql }: { sql: string }): void => void sent.push(sql);
  knex.on('query', note);
  try {
    await work();
  } finally {
    knex.off('query', note);
  }
  return sent;
}

/** A busy machine is no server that does not answer. */
const PATIENCE_MS = 60_000;

// The migrations run once a process; every further database is a copy of what they made. On a server they take half a
// second, which was most of the time of a test.
let memory: Promise<string> | undefined;
let migratedFile: Promise<Buffer> | undefined;
let migratedSchema: Promise<string> | undefined;

async function openFile(): Promise<TestDatabase> {
  const migrated = await (migratedFile ??= migrateFile());
  const folder = await mkdtemp(join(await (memory ??= inMemory()), 'sitefleet-test-'));
  const file = join(folder, 'test.db');
  await writeFile(file, migrated);
  const database = openDatabase({ dialect: 'sqlite', file });
  return {
    database,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function migrateFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(await (memory ??= inMemory()), 'sitefleet-test-'));
  const file = join(folder, 'migrated.db');
  const database = openDatabase({ dialect: 'sqlite', file });
  await migrateUp(database.knex);
  // What was written last is in a file beside it until then.
  await database.knex.raw('pragma wal_checkpoint(truncate)');
  await database.close();
  const migrated = await readFile(file);
  await rm(folder, { recursive: true, force: true });
  return migrated;
}

async function openOnServer(server: string): Promise<TestDatabase> {
  const schema = await (migratedSchema ??= migrateSchema(server));
  const { url, run, drop } = await createOnServer(server);
  await run(schema);
  const database = openDatabase({ dialect: 'mysql', url, patienceMs: PATIENCE_MS });
  return {
    database,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** Loaded where a server is meant: most runs of a few files have none. */
const driver = async () => (await import('mysql2/promise')).default;

/** The statements that make what the migrations have made. */
async function migrateSchema(server: string): Promise<string> {
  const mysql = await driver();
  const { url, run, drop } = await createOnServer(server);
  const database = openDatabase({ dialect: 'mysql', url });
  await migrateUp(database.knex);
  await database.close();
  // Tables come in the order of their names, so that a foreign key may name one that is not there yet.
  const statements = ['set foreign_key_checks = 0'];
  for (const table of (await run('show tables')).map((row) => Object.values(row)[0] as string)) {
    const [made] = await run(`show create table ${mysql.escapeId(table)}`);
    statements.push(made?.['Create Table'] as string);
    const rows = await run(`select * from ${mysql.escapeId(table)}`);
    for (const row of rows) statements.push(mysql.format('insert into ?? set ?', [table, row]));
  }
  await drop();
  return [...statements, 'set foreign_key_checks = 1'].join(';\n');
}

/** An empty database on a server, and a connection to it. */
async function createOnServer(server: string) {
  const name = `sitefleet_test_${randomBytes(6).toString('hex')}`;
  const mysql = await driver();
  const connection = await mysql.createConnection({ uri: server, multipleStatements: true, timezone: 'Z' });
  await connection.query('create database ??', [name]);
  await connection.changeUser({ database: name });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    run: async (statements: string) => (await connection.query<RowDataPacket[]>(statements))[0],
    drop: async () => {
      await connection.query('drop database ??', [name]);
      await connection.end();
    },
  };
}
