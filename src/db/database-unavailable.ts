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
  errno?: number;
  name?: string;
  /** Set by the MySQL driver for errors that end the connection. */
  fatal?: boolean;
}

/** Codes of errors without a fault in the statement: the database is unreachable, locked, or cannot be written. */
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
  // Callers see these two only after several attempts of the transaction.
  'ER_LOCK_DEADLOCK',
  'ER_CHECKREAD',
  // A node of a Galera cluster lost contact with most other nodes, or left the cluster during a commit.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  // Read-only servers: a replica, or a writer that has become one.
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE',
  'ER_INNODB_READ_ONLY',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
]);

/** ER_CONNECTION_KILLED of MariaDB. The driver has no name for it. */
const CONNECTION_KILLED = 1927;

const RETRY_AFTER_SECONDS = 5;
const DEFAULT_TIMEOUT_MS = 10_000;

export interface DatabaseTimeouts {
  /**
   * Timeout in milliseconds: of each statement on a MySQL server, or of the wait for another writer of the SQLite file.
   * Default: 10,000.
   */
  timeoutMs?: number;
  /** True if statements on a MySQL server have no timeout, as in migrations. */
  unhurried?: boolean;
}

export const timeoutMsOf = (config: object): number => (config as DatabaseTimeouts).timeoutMs ?? DEFAULT_TIMEOUT_MS;

const isBusy = (error: unknown): boolean => (error as DriverError).code === 'SQLITE_BUSY';

function isUnavailable(error: unknown): boolean {
  const { code, errno, name, fatal } = error as DriverError;
  return fatal === true || name === 'KnexTimeoutError' || errno === CONNECTION_KILLED || UNAVAILABLE.has(code ?? '');
}

/**
 * Runs `run`, and repeats it for up to `timeoutMs` while another process writes to the SQLite file. No connection is
 * held between two attempts, so that reads continue. Throws `DatabaseUnavailableError` if the database is unavailable.
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
