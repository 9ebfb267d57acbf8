import type { Knex } from 'knex';
import { chunks } from './chunks.ts';
import { isMysql } from './dialect.ts';
import { writePrepared, writePreparedRows, type Value } from './prepared.ts';

export type TableRow = Record<string, Value>;

/** What an insert does if a row with the same values in `key`, a unique index, is stored. */
export interface OnConflict {
  key: readonly string[];
  /**
   * The columns that get the new values. If there are none, the stored row stays as it is. MySQL then ignores other
   * errors of a row too, such as a missing reference, and leaves the row out.
   */
  columns: readonly string[];
}

/**
 * Inserts rows that all have the same columns. The SQL is built here, because Knex takes longer to build it than the
 * database takes to run it, and a sync of a site inserts into several tables. MySQL gets many rows in one statement,
 * because each statement is a message to the server. SQLite runs a prepared statement for each row, which is faster
 * (measured) and needs one text for all numbers of rows.
 */
export async function insertRows(
  trx: Knex.Transaction,
  table: string,
  rows: readonly TableRow[],
  onConflict?: OnConflict,
): Promise<void> {
  const names = Object.keys(rows[0] ?? {});
  const places = `(${names.map(() => '?').join(', ')})`;
  const valuesOf = (some: readonly TableRow[]): Value[] =>
    some.flatMap((row) => names.map((name) => row[name] ?? null));
  const insert = onConflict?.columns.length === 0 && isMysql(trx) ? 'insert ignore' : 'insert';
  const begin = `${insert} into \`${table}\` (${names.map(quoted).join(', ')}) values `;
  const end = onConflict ? conflictClause(trx, onConflict) : '';
  for (const part of chunks(rows)) {
    if (!isMysql(trx)) await writePreparedRows(trx, begin + places + end, valuesOf(part), names.length);
    else {
      const sql = begin + part.map(() => places).join(', ') + end;
      await writePrepared(trx, sql, valuesOf(part), { isPrepared: false });
    }
  }
}

function conflictClause(db: Knex, { key, columns }: OnConflict): string {
  if (columns.length === 0) return isMysql(db) ? '' : ` on conflict (${key.map(quoted).join(', ')}) do nothing`;
  if (isMysql(db))
    return ` on duplicate key update ${columns.map((name) => `${quoted(name)} = values(${quoted(name)})`).join(', ')}`;
  const changes = columns.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  return ` on conflict (${key.map(quoted).join(', ')}) do update set ${changes}`;
}

const quoted = (name: string): string => `\`${name}\``;
