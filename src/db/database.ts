import knexModule, { type Knex } from 'knex';
import { MysqlClient } from './drivers/mysql-client.ts';
import { SqliteClient, type DamageReport } from './drivers/sqlite-client.ts';
import { timeoutMsOf, type DatabaseTimeouts } from './database-unavailable.ts';

/** `mysql` includes MariaDB and every MySQL-compatible server. */
export type Dialect = 'sqlite' | 'mysql';

export interface Database {
  readonly knex: Knex;
  readonly dialect: Dialect;
  onDamage(listener: (error: unknown) => void): void;
  close(): Promise<void>;
}

export type DatabaseTarget = DatabaseTimeouts &
  ({ dialect: 'sqlite'; file: string } | { dialect: 'mysql'; url: string; poolSize?: number });

/** Opens the database. No connection is opened before the first statement. */
export function openDatabase(target: DatabaseTarget): Database {
  const config =
    target.dialect === 'sqlite'
      ? sqliteConfigOf(target.file)
      : mysqlConfigOf(target.url, timeoutMsOf(target), target.poolSize);
  let reportDamage = (_error: unknown): void => undefined;
  const knex = knexModule.default({
    ...config,
    onDamage: (error) => reportDamage(error),
    timeoutMs: target.timeoutMs,
    // Knex must not log errors or add bound values to them, because the values may be secret.
    compileSqlOnError: false,
    log: { debug: noop, warn: noop, error: noop, deprecate: noop },
  } as Knex.Config & DatabaseTimeouts & DamageReport);
  return {
    knex,
    dialect: target.dialect,
    onDamage: (listener) => (reportDamage = listener),
    close: () => knex.destroy(),
  };
}

const noop = (): void => undefined;

function sqliteConfigOf(file: string): Knex.Config {
  return {
    client: SqliteClient,
    connection: { filename: file },
    useNullAsDefault: true,
    // One connection for writers: statements are synchronous, and a second writer would only wait for the first.
    pool: { min: 1, max: 1 },
  };
}

const MAX_CACHED_STATEMENTS = 400;
/**
 * The default isolation level is REPEATABLE READ. At that level, MariaDB 11.6.2 and later end a transaction with an
 * error if it writes a row that another transaction has changed after its own first read.
 */
const ISOLATION = 'set session transaction isolation level read committed';
/**
 * MariaDB ends a transaction whose process sends no statement for 5 seconds. Otherwise, a process that hangs would keep
 * locks that other processes need. The limit is shorter than the default timeout of a statement that waits for such a
 * lock. MySQL has no such setting and ignores the comment.
 */
const IDLE_LIMIT = 'set autocommit = 1 /*M!100303 , session idle_transaction_timeout = 5 */';

function mysqlConfigOf(url: string, timeoutMs: number, poolSize = 12): Knex.Config {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    client: MysqlClient,
    connection: {
      // A URL has brackets around an IPv6 address, but the driver needs the address without brackets.
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port ? Number(port) : 3306,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      charset: 'utf8mb4',
      timezone: 'Z',
      maxPreparedStatements: MAX_CACHED_STATEMENTS,
      connectTimeout: timeoutMs,
      ...(searchParams.get('ssl') === 'true' ? { ssl: {} } : {}),
    },
    pool: {
      min: 0,
      max: poolSize,
      createTimeoutMillis: timeoutMs,
      acquireTimeoutMillis: timeoutMs,
      afterCreate: (connection: MysqlConnection, done: (error: Error | null) => void) => {
        usePreparedStatements(connection);
        connection.query(ISOLATION, (error: Error | null) =>
          error ? done(error) : connection.query(IDLE_LIMIT, done),
        );
      },
    },
  };
}

interface MysqlConnection {
  query: (...parameters: unknown[]) => unknown;
  execute: (...parameters: unknown[]) => unknown;
}

function usePreparedStatements(connection: MysqlConnection): void {
  const query = connection.query.bind(connection);
  connection.query = (options, bindings, done) => {
    const { sql, prepared } = options as { sql?: string; prepared?: true };
    if (!prepared) return query(options, bindings, done);
    // The driver sends numbers as floats, and MySQL does not accept a float as the value of `limit`. It accepts a text.
    const texts = (bindings as unknown[]).map((value) => (typeof value === 'number' ? String(value) : value));
    return connection.execute(sql, texts, done);
  };
}
