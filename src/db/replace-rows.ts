import type { Knex } from 'knex';
import { chunks } from './chunks.ts';

type Value = string | number | null;
export type StoredRow = Record<string, Value>;

/** A part of a table that is replaced as a whole. */
export interface RowSet<R extends StoredRow> {
  table: string;
  /** What these rows have in common and no other row has: the front of the primary key. */
  scope: StoredRow;
  /** The rest of the primary key. */
  key: readonly (keyof R & string)[];
  /** What is compared and written. A column that is named nowhere keeps what it holds. */
  columns: readonly (keyof R & string)[];
  /** Rows with another value in this column of the key stay as they are. */
  among?: { column: keyof R & string; values: readonly Value[] };
}

/** The rows as they are; `isFirst` when none was ever written. */
export async function storedRows<R extends StoredRow>(
  trx: Knex.Transaction,
  { table, scope, key, columns, among }: RowSet<R>,
  { isFirst }: { isFirst: boolean },
): Promise<StoredRow[]> {
  if (isFirst) return [];
  const query = trx(table).where(scope);
  if (among) void query.whereIn(among.column, [...among.values]);
  return query.select<StoredRow[]>(...key, ...columns);
}

/**
 * Makes the table hold these rows and no others within the scope: reads them, and writes what differs. Measured against
 * deleting and inserting them all, this is the cheaper way for a site where little has changed, which is nearly always.
 * No two rows may have the same key.
 */
export async function replaceRows<R extends StoredRow>(
  trx: Knex.Transaction,
  set: RowSet<R>,
  rows: readonly R[],
  written: { isFirst: boolean },
): Promise<void> {
  await writeDifference(trx, set, rows, await storedRows(trx, set, written));
}

/** The same where `before` is known already. */
export async function writeDifference<R extends StoredRow>(
  trx: Knex.Transaction,
  set: RowSet<R>,
  rows: readonly R[],
  before: readonly StoredRow[],
): Promise<void> {
  if (before.length === 0) return upsert(trx, set, rows);
  const { table, scope, key, columns } = set;
  const keyOf = (row: StoredRow): string => JSON.stringify(key.map((column) => row[column]));
  const stored = new Map(before.map((row) => [keyOf(row), row]));
  const wanted = new Set(rows.map(keyOf));
  const changed = rows.filter((row) => {
    const old = stored.get(keyOf(row));
    return !old || columns.some((column) => old[column] !== row[column]);
  });
  const gone = [...stored].flatMap(([id, row]) => (wanted.has(id) ? [] : [key.map((column) => row[column] as Value)]));
  // Deleted first: to MySQL a key that differs in trailing blanks alone is the same key.
  for (const keys of chunks(gone))
    await trx(table)
      .where(scope)
      .whereIn([...key], keys)
      .delete();
  await upsert(trx, set, changed);
}

async function upsert<R extends StoredRow>(
  trx: Knex.Transaction,
  { table, scope, key, columns }: RowSet<R>,
  rows: readonly R[],
): Promise<void> {
  for (const part of chunks(rows))
    await trx(table)
      .insert(part)
      .onConflict([...Object.keys(scope), ...key])
      .merge([...columns]);
}

/** One item for each key, in the order of their keys: the same set gives the same list, however it arrived. */
export function canonical<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => compare(a.key, b.key) || compare(JSON.stringify(a.item), JSON.stringify(b.item)));
  return keyed.filter(({ key }, at) => at === 0 || key !== keyed[at - 1]?.key).map(({ item }) => item);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
