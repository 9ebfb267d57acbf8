import type { Knex } from 'knex';
import { IDS_A_STATEMENT } from './chunks.ts';
import { isMysql } from './dialect.ts';
import { writePrepared, type Value } from './prepared.ts';

interface DeletedTable {
  table: string;
  /** Columns of the primary key. Default: `id`. */
  key?: readonly string[];
  /** Maximum number of rows per statement. Default: 500. */
  most?: number;
}

interface OldRows extends DeletedTable {
  /** Indexed column. Rows with a lower value than `before` are deleted, the lowest first. */
  column: string;
  before: number;
  /** Adds conditions. */
  where?: (rows: Knex.QueryBuilder) => Knex.QueryBuilder;
}

/**
 * Deletes old rows with one statement, in the order of the index, so that other writers do not wait for long. Returns
 * their number. Call this again until it returns 0.
 */
export function deleteOldest(db: Knex, { column, before, where = (rows) => rows, ...of }: OldRows): Promise<number> {
  const old = db(of.table).where(`${of.table}.${column}`, '<', before).orderBy(`${of.table}.${column}`);
  return deleteFirst(db, where(old), of);
}

interface AllRows extends DeletedTable {
  where: Readonly<Record<string, Value>>;
  /** Columns of an index that begins with the columns of `where`. */
  orderBy: readonly string[];
}

/**
 * Deletes all rows of a record with several statements. Between them, SQLite lets other work of this process run. A
 * foreign key would delete them all in one statement.
 */
export async function deleteAllInParts(
  trx: Knex.Transaction,
  { where, orderBy, most = IDS_A_STATEMENT, ...of }: AllRows,
): Promise<void> {
  const rows = (): Knex.QueryBuilder =>
    trx(of.table)
      .where(where)
      .orderBy([...orderBy]);
  while ((await deleteFirst(trx, rows(), { ...of, most })) === most);
}

function deleteFirst(
  db: Knex,
  sorted: Knex.QueryBuilder,
  { table, key = ['id'], most = IDS_A_STATEMENT }: DeletedTable,
): Promise<number> {
  const columns = (isMysql(db) ? key : ['rowid']).map((name) => `${table}.${name}`);
  const { sql, bindings } = sorted.limit(most).select(columns).toSQL();
  // MySQL needs the join: it reads the whole table for `(site_id, day) in (…)`. SQLite has no join in a deletion.
  const deletion = isMysql(db)
    ? `delete \`${table}\` from \`${table}\` join (${sql}) as chosen using (${key.join(', ')})`
    : `delete from \`${table}\` where rowid in (${sql})`;
  return writePrepared(db, deletion, bindings as Value[], { isPrepared: false });
}
