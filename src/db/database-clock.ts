import type { Knex } from 'knex';
import { systemClock, type Clock } from '../shared/clock.ts';
import { isMysql } from './dialect.ts';

/** Unlike `unix_timestamp(now(6))`, this does not repeat an hour when daylight saving time ends. */
const SERVER_MICROSECONDS = `timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))`;
const SERVER_TIME = `${SERVER_MICROSECONDS} div 1000`;

/**
 * SQL expression for the time of the database, in milliseconds since 1970, plus `offsetMs`. Leases use it, because the
 * clocks of processes on several machines differ. For SQLite, it is the clock of this process. If a test has injected a
 * clock, that clock is used for every database.
 */
export function databaseTimeSql(db: Knex, clock: Clock, offsetMs = 0): Knex.Raw {
  const { text, binding } = databaseTimeText(db, clock, offsetMs);
  return db.raw(text, [binding]);
}

/** Like `databaseTimeSql`, for a constant SQL text. The text has one placeholder, for `binding`. */
export const databaseTimeText = (db: Knex, clock: Clock, offsetMs = 0): { text: string; binding: number } =>
  hasServerClock(db, clock)
    ? { text: `(${SERVER_TIME} + ?)`, binding: offsetMs }
    : { text: '?', binding: clock.now() + offsetMs };

/**
 * Reads the time of the database. It is earlier than the time at which any later statement runs, so a lease that is
 * computed from it ends too early rather than too late.
 */
export async function readDatabaseTime(db: Knex, clock: Clock): Promise<number> {
  if (!hasServerClock(db, clock)) return clock.now();
  const [[row]] = (await db.raw(`select ${SERVER_TIME} as now`)) as [[{ now: number | string }]];
  return Number(row.now);
}

/** SQL text for the time of the database, which all processes share, in microseconds since 1970. */
export const databaseMicroseconds = (db: Knex): string =>
  isMysql(db) ? SERVER_MICROSECONDS : `cast((julianday('now') - 2440587.5) * 86400000000 as integer)`;

const hasServerClock = (db: Knex, clock: Clock): boolean => isMysql(db) && clock === systemClock;
