import type { Knex } from 'knex';
import type { DatabaseTimeouts } from './database-unavailable.ts';

/** Only code in this folder may use this function. Other code must work with both kinds of database. */
export const isMysql = (db: Knex): boolean => (db.client as Knex.Client).dialect === 'mysql';

/** True if several processes can use the database at once. One process at a time serves an SQLite database. */
export const isShared = isMysql;

interface DriverError {
  code?: string;
  errno?: number;
  message?: string;
}

export function isDuplicate(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** True if a referenced row does not exist. MySQL has another code for an ID outside the range of the column. */
export function isMissingReference(error: unknown): boolean {
  const { code } = error as DriverError;
  return (
    code === 'ER_NO_REFERENCED_ROW_2' ||
    code === 'ER_NO_REFERENCED_ROW' ||
    code === 'ER_WARN_DATA_OUT_OF_RANGE' ||
    code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
  );
}

/** True if another writer caused the error of MySQL or MariaDB. The same transaction may succeed if it is run again. */
export function isTransient(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === 'ER_LOCK_WAIT_TIMEOUT' || isWriteConflict(error);
}

/**
 * True if the server rolled the transaction back because of another writer. MariaDB with `innodb_snapshot_isolation`
 * reports ER_CHECKREAD for that. A Galera cluster reports a deadlock.
 */
export function isWriteConflict(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === 'ER_LOCK_DEADLOCK' || code === 'ER_CHECKREAD';
}

/**
 * Returns the maximum number of concurrent background writers. The other connections of the pool stay free for
 * requests, because the callers of requests wait for a response.
 */
export const maxConcurrentWriters = (db: Knex): number => (isMysql(db) ? 2 : 1);

/**
 * Locks the selected rows and skips rows that another transaction has locked. On SQLite, only one transaction writes at
 * a time, so no row locks are needed.
 */
export function lockForClaim<T extends Knex.QueryBuilder>(db: Knex, query: T): T {
  return isMysql(db) ? (query.forUpdate().skipLocked() as T) : query;
}

export const searchedByPrimaryKey = (db: Knex, table: string): Knex.Raw =>
  db.raw(isMysql(db) ? '?? force index (primary)' : '?? not indexed', [table]);

export function lockForUpdate<T extends Knex.QueryBuilder>(db: Knex, query: T): T {
  return isMysql(db) ? (query.forUpdate() as T) : query;
}

/** Escapes the wildcards of LIKE for `like ? escape '!'`. */
export const likePattern = (text: string): string => `%${text.replace(/[!%_]/g, (sign) => `!${sign}`)}%`;

/**
 * Returns an SQL condition and its bound value. The condition is true if the column contains `text`, ignoring case.
 * `text` must be in lower case. The functions and operators of SQLite ignore case only in ASCII, so for a text with
 * other letters the pattern lists each letter in both cases.
 */
export function containsCondition(query: Knex.QueryBuilder, column: string, text: string): [sql: string, [string]] {
  return isMysql(query as unknown as Knex) || /^[ -~]*$/.test(text)
    ? [`lower(${column}) like ? escape '!'`, [likePattern(text)]]
    : [`${column} glob ?`, [globPattern(text)]];
}

function globPattern(text: string): string {
  const parts = Array.from(text, (letter) => {
    const cases = [...new Set([letter, letter.toUpperCase()])].filter((each) => Array.from(each).length === 1);
    return cases.length > 1 || /[*?[]/.test(letter) ? `[${cases.join('')}]` : letter;
  });
  return `*${parts.join('')}*`;
}

export const exemptFromTimeout = (query: Knex.Raw): Knex.Raw => query.options({ slow: true });

const STEP_WAIT_MS = 10_000;

/**
 * Runs statements without a timeout. A schema change consists of several statements and cannot be repeated as a whole,
 * so on SQLite each statement waits for other writers by itself.
 */
export async function withoutStatementTimeout<T>(knex: Knex, work: (knex: Knex) => Promise<T>): Promise<T> {
  if (isMysql(knex)) {
    const clone = knex.withUserParams({});
    (clone.client as { config: DatabaseTimeouts }).config.unhurried = true;
    return work(clone);
  }
  await knex.raw(`pragma busy_timeout = ${STEP_WAIT_MS}`);
  try {
    return await work(knex);
  } finally {
    await knex.raw('pragma busy_timeout = 0');
  }
}

/**
 * Marks a statement to be prepared on the MySQL server. Use it if the statement runs with every request and only its
 * bound values differ. SQLite prepares all statements anyway.
 */
export function markAsPrepared<T extends Knex.QueryBuilder>(query: T): T {
  return query.options({ prepared: true });
}
