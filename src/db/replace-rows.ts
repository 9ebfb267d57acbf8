import type { Knex } from 'knex';
import { chunks } from './chunks.ts';
import { insertRows, type TableRow } from './insert-rows.ts';
import { readPrepared, type Value } from './prepared.ts';

export type { TableRow } from './insert-rows.ts';

export interface RowSet<R extends TableRow> {
  table: string;
  /**
   * Values of the first columns of the primary key. Without `among`, the set consists of all rows with these values.
   */
  scope: TableRow;
  key: readonly (keyof R & string)[];
  columns: readonly (keyof R & string)[];
  /** Limits the set to rows with these values in a key column. The other rows of the scope are not changed. */
  among?: { column: keyof R & string; values: readonly Value[] };
}

/** `isFirst` is true if nothing was ever stored for the scope. */
export async function readStoredRows<R extends TableRow>(
  trx: Knex.Transaction,
  { table, scope, key, columns, among }: RowSet<R>,
  { isFirst }: { isFirst: boolean },
): Promise<TableRow[]> {
  if (isFirst) return [];
  const conditions = Object.keys(scope).map((column) => `${column} = ?`);
  if (among) conditions.push(`${among.column} in (${among.values.map(() => '?').join(', ')})`);
  const sql = `select ${[...key, ...columns].join(', ')} from ${table} where ${conditions.join(' and ')}`;
  return readPrepared<TableRow>(trx, sql, [...Object.values(scope), ...(among?.values ?? [])]);
}

/**
 * Makes the table contain exactly these rows within the scope: reads the stored rows and writes only the differences.
 * Usually little has changed on a site, and then this is faster (measured) than deleting and inserting all rows. Keys
 * must be unique within `rows`.
 */
export async function replaceRows<R extends TableRow>(
  trx: Knex.Transaction,
  set: RowSet<R>,
  rows: readonly R[],
  written: { isFirst: boolean },
): Promise<void> {
  await writeRowDifferences(trx, set, rows, await readStoredRows(trx, set, written));
}

export async function writeRowDifferences<R extends TableRow>(
  trx: Knex.Transaction,
  set: RowSet<R>,
  rows: readonly R[],
  before: readonly TableRow[],
): Promise<void> {
  if (before.length === 0) return upsert(trx, set, rows);
  const { table, scope, key, columns } = set;
  const keyOf = (row: TableRow): string => JSON.stringify(key.map((column) => row[column]));
  const stored = new Map(before.map((row) => [keyOf(row), row]));
  const wanted = new Set(rows.map(keyOf));
  const changed = rows.filter((row) => {
    const old = stored.get(keyOf(row));
    return !old || columns.some((column) => old[column] !== row[column]);
  });
  const gone = [...stored].flatMap(([id, row]) => (wanted.has(id) ? [] : [key.map((column) => row[column] as Value)]));
  // Deletes first: MySQL ignores trailing blanks when it compares keys, so a later deletion could hit a new row.
  for (const keys of chunks(gone))
    await trx(table)
      .where(scope)
      .whereIn([...key], keys)
      .delete();
  await upsert(trx, set, changed);
}

const upsert = <R extends TableRow>(
  trx: Knex.Transaction,
  { table, scope, key, columns }: RowSet<R>,
  rows: readonly R[],
): Promise<void> => insertRows(trx, table, rows, { key: [...Object.keys(scope), ...key], columns });

/** Returns one item per key, sorted by key, so that equal sets give equal lists in whatever order they arrived. */
export function sortAndDeduplicate<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => compare(a.key, b.key) || compare(JSON.stringify(a.item), JSON.stringify(b.item)));
  return keyed.filter(({ key }, at) => at === 0 || key !== keyed[at - 1]?.key).map(({ item }) => item);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
