import type { Knex } from 'knex';
import { chunks, chunksBySize, IDS_A_STATEMENT } from './chunks.ts';
import { retryWhileBusy } from './database-unavailable.ts';
import { isMysql } from './dialect.ts';

export type Value = string | number | null;

/** The client of a transaction always uses the connection of the transaction. */
interface StatementClient {
  config: object;
  transacting?: boolean;
  acquireConnection: () => Promise<object>;
  releaseConnection: (connection: object) => Promise<void>;
  query: (connection: object, statement: object) => Promise<{ response: unknown }>;
  /** True if reads have a connection of their own, outside the pool. */
  hasReader?: boolean;
  openReader?: () => object;
}

/**
 * Reads rows with a constant SQL text, which both databases prepare once per connection. Building such a text with Knex
 * takes longer than running it. Timeouts, transactions and statement events work as with Knex. Values must be bound.
 * Only a limit is part of the text, because SQLite plans a statement with a bound limit again at each run. Set
 * `isPrepared` to false if the text depends on the number of values, because MySQL would keep each such text prepared.
 */
export function readPrepared<Row>(
  db: Knex,
  sql: string,
  bindings: readonly Value[],
  { isPrepared = true }: { isPrepared?: boolean } = {},
): Promise<Row[]> {
  const client = db.client as StatementClient;
  const statement = { sql, bindings: [...bindings], options: isPrepared ? { prepared: true } : {} };
  const read = (): Promise<Row[]> => readOnce(db, client, statement);
  // After a conflict in a transaction, the whole transaction is repeated, not one statement.
  return client.transacting ? read() : retryWhileBusy(client.config, read);
}

async function readOnce<Row>(db: Knex, client: StatementClient, statement: object): Promise<Row[]> {
  const reader = client.hasReader ? client.openReader?.() : undefined;
  const connection = reader ?? (await client.acquireConnection());
  try {
    const { response } = await client.query(connection, statement);
    // The MySQL driver returns a pair: the rows and the column definitions.
    return (isMysql(db) ? (response as [Row[]])[0] : response) as Row[];
  } finally {
    if (!reader) void client.releaseConnection(connection);
  }
}

/** Runs a constant SQL text that writes, like `readPrepared`, and returns how many rows it matched. */
export function writePrepared(
  db: Knex,
  sql: string,
  bindings: readonly Value[],
  { isPrepared = true }: { isPrepared?: boolean } = {},
): Promise<number> {
  const client = db.client as StatementClient;
  const write = (): Promise<number> => writeOnce(db, sql, bindings, isPrepared ? { prepared: true } : {});
  return client.transacting ? write() : retryWhileBusy(client.config, write);
}

/**
 * Runs a constant SQL text once for each row of `width` bound values. Only SQLite can do this, and only a transaction
 * makes it one change.
 */
export async function writePreparedRows(
  trx: Knex.Transaction,
  sql: string,
  bindings: readonly Value[],
  width: number,
): Promise<void> {
  await writeOnce(trx, sql, bindings, { prepared: true, width });
}

async function writeOnce(db: Knex, sql: string, bindings: readonly Value[], options: object): Promise<number> {
  const client = db.client as StatementClient;
  const connection = await client.acquireConnection();
  try {
    const { response } = await client.query(connection, { sql, bindings: [...bindings], options });
    return isMysql(db)
      ? (response as [{ affectedRows: number }])[0].affectedRows
      : (response as { changes: number }).changes;
  } finally {
    void client.releaseConnection(connection);
  }
}

/** Reads the rows of some IDs with `readPrepared`, in as few statements as possible. `sqlOf` gets the placeholders. */
export async function readOfIds<Row>(
  db: Knex,
  ids: readonly number[],
  sqlOf: (placeholders: string) => string,
  bindingsOf: (ids: number[]) => Value[] = (some) => some,
): Promise<Row[]> {
  const parts: Row[][] = [];
  for (const some of chunks(ids, IDS_A_STATEMENT)) {
    const { placeholders, bindings } = listOf(some);
    parts.push(await readPrepared<Row>(db, sqlOf(placeholders), bindingsOf(bindings)));
  }
  return parts.flat();
}

/** A condition of SQL with its bound values. */
export interface Condition {
  sql: string;
  bindings: readonly Value[];
}

/**
 * Reads the rows that fulfil one of the conditions; no row may fulfil two. `select` is the statement up to `where`.
 * MySQL gets many conditions in one statement, because each statement is a message to the server. SQLite gets a
 * statement for each: it blocks the process during a statement, and joined texts would fill its cache of statements.
 */
export async function readWhereAny<Row>(db: Knex, select: string, conditions: readonly Condition[]): Promise<Row[]> {
  const parts: Row[][] = [];
  if (!isMysql(db))
    for (const { sql, bindings } of conditions)
      parts.push(await readPrepared<Row>(db, `${select} where ${sql}`, bindings));
  else
    for (const some of chunksBySize(conditions, ({ bindings }) => bindings.length, IDS_A_STATEMENT)) {
      const joined = some.map(({ sql }) => `(${sql})`).join(' or ');
      const bindings = some.flatMap((condition) => condition.bindings);
      parts.push(await readPrepared<Row>(db, `${select} where ${joined}`, bindings, { isPrepared: false }));
    }
  return parts.flat();
}

const LIST_SIZES = [1, 20, 50, 100, 500];

/**
 * Returns placeholders and values for `in (…)`. The list is filled up with its last value to one of five sizes, so that
 * the statement has only five different texts. Lists of more than 500 values keep their length.
 */
export function listOf(values: readonly number[]): { placeholders: string; bindings: number[] } {
  const bindings = filledUp(values, 0);
  return { placeholders: bindings.map(() => '?').join(', '), bindings };
}

/** Like `listOf`, for `(column, column) in (…)`. The list must not be empty. */
export function pairsOf(
  db: Knex,
  pairs: readonly (readonly [Value, Value])[],
): { placeholders: string; bindings: Value[] } {
  const filled = filledUp(pairs, [null, null] as const);
  const placeholders = filled.map(() => '(?, ?)').join(', ');
  return { placeholders: isMysql(db) ? placeholders : `values ${placeholders}`, bindings: filled.flat() };
}

function filledUp<T>(values: readonly T[], empty: T): T[] {
  const size = LIST_SIZES.find((each) => each >= values.length) ?? values.length;
  const last = values.at(-1) ?? empty;
  return [...values, ...Array.from({ length: size - values.length }, () => last)];
}
