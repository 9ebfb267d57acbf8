import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

async function openFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
  const database = openDatabase({ dialect: 'sqlite', file: join(folder, 'test.db') });
  await migrateUp(database.knex);
  return {
    database,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openOnServer(server: string): Promise<TestDatabase> {
  const name = `sitefleet_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = '/';
  const admin = openDatabase({ dialect: 'mysql', url: url.href, poolSize: 1 });
  await admin.knex.raw('create database ??', [name]);
  url.pathname = `/${name}`;
  const database = openDatabase({ dialect: 'mysql', url: url.href });
  await migrateUp(database.knex);
  return {
    database,
    async close() {
      await database.close();
      await admin.knex.raw('drop database ??', [name]);
      await admin.close();
    },
  };
}
