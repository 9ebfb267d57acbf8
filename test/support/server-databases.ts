import mysql, { type RowDataPacket } from 'mysql2/promise';
import { createDatabase, dropDatabase, type ServerDatabase } from '../../scripts/support/server-database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';

/** Result of the migrations. */
interface MigratedContents {
  /** The statements that create all tables. */
  schema: string;
  tables: string[];
  /** The statements that fill the tables that are not empty. */
  rows: Map<string, string[]>;
}

/** Tables of the migrations themselves. They only change with the tables. */
const OF_MIGRATIONS = /^schema_migrations/;

/**
 * Migrated databases on a server, for one test after another. The migrations run once, and each further database is a
 * copy. A database is emptied after a test, which takes a fifth of the time of a new one.
 */
export class DatabasePool {
  readonly #server: string;
  readonly #rested: ServerDatabase[] = [];
  #migrated: Promise<MigratedContents> | undefined;

  constructor(server: string) {
    this.#server = server;
  }

  async acquire(): Promise<ServerDatabase> {
    const migrated = await (this.#migrated ??= this.#migrate());
    const rested = this.#rested.pop();
    if (rested && (await emptied(rested, migrated))) return rested;
    if (rested) await dropDatabase(rested);
    const made = await createDatabase(this.#server);
    await made.connection.query(migrated.schema);
    return made;
  }

  /** Keeps the database for the next test, unless its tables have been changed. */
  async release(database: ServerDatabase, areTablesAsMigrated: boolean): Promise<void> {
    if (areTablesAsMigrated) this.#rested.push(database);
    else await dropDatabase(database);
  }

  async close(): Promise<void> {
    for (const database of this.#rested.splice(0)) await dropDatabase(database);
  }

  async #migrate(): Promise<MigratedContents> {
    const made = await createDatabase(this.#server);
    const database = openDatabase({ dialect: 'mysql', url: made.url });
    await migrateUp(database.knex);
    await database.close();
    const select = async (sql: string) => (await made.connection.query<RowDataPacket[]>(sql))[0];
    const tables = (await select('show tables')).map((row) => Object.values(row)[0] as string);
    const rows = new Map<string, string[]>();
    const statements: string[] = [];
    for (const table of tables) {
      const [shown] = await select(`show create table ${mysql.escapeId(table)}`);
      const inserts = await select(`select * from ${mysql.escapeId(table)}`);
      rows.set(
        table,
        inserts.map((row) => mysql.format('insert into ?? set ?', [table, row])),
      );
      statements.push(shown?.['Create Table'] as string, ...(rows.get(table) ?? []));
    }
    await dropDatabase(made);
    return { schema: unordered(statements), tables, rows };
  }
}

/** Empties a database. False if another connection is open, which could write again. */
async function emptied({ connection }: ServerDatabase, { tables, rows }: MigratedContents): Promise<boolean> {
  const { escapeId } = mysql;
  const written = tables.filter((table) => !OF_MIGRATIONS.test(table));
  const questions = [
    'select count(*) as connections from information_schema.processlist where db = database()',
    `select ${written.map((table) => `exists(select 1 from ${escapeId(table)}) as ${escapeId(table)}`).join()}`,
    // A table that the test has emptied would continue its numbers.
    'select table_name as name from information_schema.tables where table_schema = database() and auto_increment > 1',
  ];
  const [answers] = await connection.query<RowDataPacket[][]>(questions.join(';\n'));
  const [[connected], [filled], counting = []] = answers as [RowDataPacket[], RowDataPacket[], RowDataPacket[]];
  if (connected?.['connections'] !== 1) return false;
  const touched = new Set([...written.filter((table) => filled?.[table]), ...counting.map(({ name }) => String(name))]);
  await connection.query(
    unordered([...touched].flatMap((table) => [`truncate table ${escapeId(table)}`, ...(rows.get(table) ?? [])])),
  );
  return true;
}

/** Tables are sorted by name, so a foreign key can refer to a table that does not exist yet. */
const unordered = (statements: string[]): string =>
  ['set foreign_key_checks = 0', ...statements, 'set foreign_key_checks = 1'].join(';\n');
