import type { Knex } from 'knex';
import type { Patience } from './unavailable.ts';

/** Differences between the two databases live in this folder; nothing above it asks which one it is. */
export const isMysql = (db: Knex): boolean => (db.client as Knex.Client).dialect === 'mysql';

interface DriverError {
  code?: string;
  errno?: number;
  message?: string;
}

/** A unique key says no. */
export function isDuplicate(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/**
 * A row that is referred to does not exist (any more); MySQL complains in its own way of an ID that no row can have.
 */
export function isMissingReference(error: unknown): boolean {
  const { code } = error as DriverError;
  return (
    code === 'ER_NO_REFERENCED_ROW_2' ||
    code === 'ER_NO_REFERENCED_ROW' ||
    code === 'ER_WARN_DATA_OUT_OF_RANGE' ||
    code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
  );
}

/** Another writer was in the way; the same transaction may go through when it is run again. */
export function isTransient(error: unknown): boolean {
  const { code } = error as DriverError;
  return code === 'ER_LOCK_DEADLOCK' || code === 'ER_LOCK_WAIT_TIMEOUT';
}

/** Units of work in the background that are worth running side by side; connections are left to callers who wait. */
export const writersAtOnce = (db: Knex): number => (isMysql(db) ? 2 : 1);

/**
 * Row locks for a claim that passes over what others hold. SQLite has one writer, so that its transaction is the lock.
 */
export function lockForClaim<T extends Knex.QueryBuilder>(db: Knex, query: T): T {
  return isMysql(db) ? (query.forUpdate().skipLocked() as T) : query;
}

/** Row locks for a read that a write in the same transaction rests on. */
export function lockForUpdate<T extends Knex.QueryBuilder>(db: Knex, query: T): T {
  return isMysql(db) ? (query.forUpdate() as T) : query;
}

/** Escapes the wildcards of LIKE for `like ? escape '!'`. */
export const likePattern = (text: string): string => `%${text.replace(/[!%_]/g, (sign) => `!${sign}`)}%`;

/** For a statement that waits on purpose: the usual limit of time is not for it. */
export const slow = (query: Knex.Raw): Knex.Raw => query.options({ slow: true });

/** How long a step of a migration waits for another process that writes. */
const STEP_WAIT_MS = 10_000;

/**
 * Work whose statements take as long as they take. A change of the schema is several statements, which cannot be run
 * again as a whole, so that on SQLite each waits by itself for another writer.
 */
export async function unhurried<T>(knex: Knex, work: (knex: Knex) => Promise<T>): Promise<T> {
  if (isMysql(knex)) {
    const clone = knex.withUserParams({});
    (clone.client as { config: Patience }).config.unhurried = true;
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
 * For statements that run with every request and differ in nothing but what is bound. SQLite keeps all of them anyway.
 */
export function prepared<T extends Knex.QueryBuilder>(query: T): T {
  return query.options({ prepared: true });
}
