import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';

/** Reports a change of data that the operator should know, as a whole sentence. */
export type MigrationLog = (message: string) => void;

/**
 * One reversible migration. MySQL cannot roll back schema changes. If `up` is interrupted there, it runs again, and
 * everything before its last schema change is left out. So the schema changes of `up` must not depend on rows, and `up`
 * must not write rows after a schema change that it has read before it. To drop a column, use `alter table … drop
 * column`: on SQLite, Knex would copy the whole table and the tables that refer to it.
 */
export interface Migration {
  name: string;
  up: (knex: Knex, log?: MigrationLog) => Promise<void>;
  down: (knex: Knex) => Promise<void>;
}

export type Columns = (table: Knex.CreateTableBuilder) => void;

/** Creates a table that compares texts by bytes on both databases. To ignore case, add a second column. */
export async function createTable(knex: Knex, name: string, columns: Columns): Promise<void> {
  await knex.schema.createTable(name, (table) => {
    if (isMysql(knex)) {
      table.engine('InnoDB');
      table.charset('utf8mb4');
      table.collate('utf8mb4_bin');
    }
    columns(table);
  });
}

export async function dropTables(knex: Knex, ...names: string[]): Promise<void> {
  for (const name of names) await knex.schema.dropTableIfExists(name);
}

/** Adds a column for milliseconds since 1970. */
export const time = (table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder => table.bigInteger(name);

export const flag = (table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder => table.tinyint(name);

/** Adds a text column for up to 16 MB on MySQL. A plain `text` would be cut at 64 kB. */
export const longText = (table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder =>
  table.text(name, 'mediumtext');

export const bytes = (knex: Knex, table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder =>
  table.specificType(name, isMysql(knex) ? 'mediumblob' : 'blob');

/**
 * Adds a column for the key of a site: host in lower case and path, without scheme, `www.` and trailing slash. It is
 * ASCII, because MySQL limits the bytes of an index key and counts four for a character of other text.
 */
export function urlKey(knex: Knex, table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder {
  return isMysql(knex)
    ? table.specificType(name, 'varchar(512) character set ascii collate ascii_bin')
    : table.string(name, 512);
}
