import knexModule, { type Knex } from 'knex';

/** MySQL stands for MariaDB and every MySQL-compatible server as well. */
export type Dialect = 'sqlite' | 'mysql';

export interface Database {
  readonly knex: Knex;
  readonly dialect: Dialect;
  close(): Promise<void>;
}

export type DatabaseTarget = { dialect: 'sqlite'; file: string } | { dialect: 'mysql'; url: string; poolSize?: number };

/** Opens the database; nothing is dialled before the first statement. */
export function openDatabase(target: DatabaseTarget): Database {
  const knex = knexModule.default(
    target.dialect === 'sqlite' ? sqlite(target.file) : mysql(target.url, target.poolSize),
  );
  return { knex, dialect: target.dialect, close: () => knex.destroy() };
}

function sqlite(file: string): Knex.Config {
  return {
    client: 'better-sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
    // One connection: statements are synchronous, and a second writer would only meet SQLITE_BUSY.
    pool: {
      min: 1,
      max: 1,
      afterCreate: (connection: SqliteConnection, done: (error: Error | null) => void) => {
        keepStatements(connection);
        for (const pragma of [
          'journal_mode = WAL',
          'synchronous = NORMAL',
          'foreign_keys = ON',
          'busy_timeout = 5000',
          'cache_size = -65536',
        ])
          connection.pragma(pragma);
        done(null);
      },
    },
  };
}

interface SqliteConnection {
  pragma: (text: string) => void;
  prepare: (sql: string) => unknown;
}

const KEPT_STATEMENTS = 400;

/**
 * Knex prepares each statement anew, which costs more than most of them take to run, and whose native handles are let go late.
 * Statements are run to their end at once, so that one of a text is enough; the oldest of too many texts goes.
 */
function keepStatements(connection: SqliteConnection): void {
  const prepare = connection.prepare.bind(connection);
  const kept = new Map<string, unknown>();
  connection.prepare = (sql) => {
    const known = kept.get(sql);
    if (known) return known;
    const statement = prepare(sql);
    if (!/^\s*(select|insert|update|delete)\b/i.test(sql)) return statement;
    const [oldest] = kept.keys();
    if (kept.size >= KEPT_STATEMENTS && oldest !== undefined) kept.delete(oldest);
    kept.set(sql, statement);
    return statement;
  };
}

function mysql(url: string, poolSize = 12): Knex.Config {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    client: 'mysql2',
    connection: {
      host: hostname,
      port: port ? Number(port) : 3306,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      charset: 'utf8mb4',
      timezone: 'Z',
      maxPreparedStatements: KEPT_STATEMENTS,
      ...(searchParams.get('ssl') === 'true' ? { ssl: {} } : {}),
    },
    pool: {
      min: 0,
      max: poolSize,
      afterCreate: (connection: MysqlConnection, done: (error: Error | null) => void) => {
        prepareWhatIsMarked(connection);
        done(null);
      },
    },
    acquireConnectionTimeout: 30_000,
  };
}

interface MysqlConnection {
  query: (...given: unknown[]) => unknown;
  execute: (...given: unknown[]) => unknown;
}

/** Statements that are marked by `prepared` are parsed once a connection, by the server; the others as they come. */
function prepareWhatIsMarked(connection: MysqlConnection): void {
  const query = connection.query.bind(connection);
  connection.query = (options, bindings, done) => {
    const { sql, prepared } = options as { sql?: string; prepared?: true };
    if (!prepared) return query(options, bindings, done);
    // Numbers go as texts: a number goes as a float, which MySQL takes for no limit.
    const texts = (bindings as unknown[]).map((value) => (typeof value === 'number' ? String(value) : value));
    return connection.execute(sql, texts, done);
  };
}
