import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../shared/errors.ts';

/** A statement was sent, and no answer came in time. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  readonly code = 'DATABASE_UNANSWERED';

  constructor(ms: number) {
    super(`The database did not answer in ${ms / 1000} seconds.`);
  }
}

interface DriverError {
  code?: string;
  name?: string;
  /** Says the MySQL driver of what ends a connection. */
  fatal?: boolean;
}

/** Nothing is wrong with the statement: the database cannot be had, cannot be written, or is kept by somebody else. */
const UNAVAILABLE = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'DATABASE_UNANSWERED',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
]);

const RETRY_AFTER_SECONDS = 5;
const DEFAULT_PATIENCE_MS = 10_000;

/** What is told of a database beside what Knex knows. */
export interface Patience {
  /** How long a statement may take on a server, and how long another writer of an embedded file is waited for. */
  patienceMs?: number;
  /** Statements on a server take as long as they take. */
  unhurried?: boolean;
}

export const patienceOf = (config: object): number => (config as Patience).patienceMs ?? DEFAULT_PATIENCE_MS;

/** Another process writes to the embedded file; it has one writer at a time. */
const isBusy = (error: unknown): boolean => (error as DriverError).code === 'SQLITE_BUSY';

function isUnavailable(error: unknown): boolean {
  const { code, name, fatal } = error as DriverError;
  return fatal === true || name === 'KnexTimeoutError' || UNAVAILABLE.has(code ?? '');
}

/**
 * Runs what may meet a file in which another process writes, again and again until that has ended. It waits without a
 * connection, so that reading goes on. What cannot be had then is one error for all who call.
 */
export async function patiently<T>(config: object, run: () => Promise<T>): Promise<T> {
  const until = Date.now() + patienceOf(config);
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 40)) {
    try {
      return await run();
    } catch (error) {
      if (isBusy(error) && Date.now() < until) await sleep(pause * (0.5 + Math.random()));
      else throw toAvailability(error);
    }
  }
}

/** What the database cannot do at the moment is one error for all who call; any other stays what it is. */
export function toAvailability(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const data = { retry_after_seconds: RETRY_AFTER_SECONDS };
  const message = 'The database is not available at the moment; try again later.';
  return new DatabaseUnavailableError('svc_database_unavailable', message, data, { cause: error });
}
