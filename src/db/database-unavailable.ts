import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../shared/errors.ts';

export class StatementTimeoutError extends Error {
  override readonly name = 'StatementTimeoutError';
  readonly code = 'DATABASE_UNANSWERED';

  constructor(ms: number) {
    super(`The database did not answer in ${ms / 1000} seconds.`);
  }
}

interface DriverError {
  code?: string;
  name?: string;
  /** Set by the MySQL driver for errors that end the connection. */
  fatal?: boolean;
}

/**
 * Codes of errors that are not caused by the statement: the database cannot be reached, cannot be written, or is
 * locked.
 */
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
const DEFAULT_TIMEOUT_MS = 10_000;

export interface DatabaseTimeouts {
  /**
   * Milliseconds until a statement on a MySQL server times out, or the wait for another writer of the SQLite file.
   * Default: 10,000.
   */
  timeoutMs?: number;
  /** True if statements on a MySQL server have no timeout, as in migrations. */
  unhurried?: boolean;
}

export const timeoutMsOf = (config: object): number => (config as DatabaseTimeouts).timeoutMs ?? DEFAULT_TIMEOUT_MS;

const isBusy = (error: unknown): boolean => (error as DriverError).code === 'SQLITE_BUSY';

function isUnavailable(error: unknown): boolean {
  const { code, name, fatal } = error as DriverError;
  return fatal === true || name === 'KnexTimeoutError' || UNAVAILABLE.has(code ?? '');
}

/**
 * Repeats `run` for up to `timeoutMs` while another process writes to the embedded file. It holds no connection while
 * it waits, so that reads continue. Throws `DatabaseUnavailableError` if the database is unavailable.
 */
export async function retryWhileBusy<T>(config: object, run: () => Promise<T>): Promise<T> {
  const until = Date.now() + timeoutMsOf(config);
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 40)) {
    try {
      return await run();
    } catch (error) {
      if (isBusy(error) && Date.now() < until) await sleep(pause * (0.5 + Math.random()));
      else throw toUnavailableError(error);
    }
  }
}

export function toUnavailableError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const data = { retry_after_seconds: RETRY_AFTER_SECONDS };
  const message = 'The database is not available at the moment. Try again later.';
  return new DatabaseUnavailableError('svc_database_unavailable', message, data, { cause: error });
}
