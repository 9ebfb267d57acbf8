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
      afterCreate: (connection: { pragma(text: string): void }, done: (error: Error | null) => void) => {
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
      ...(searchParams.get('ssl') === 'true' ? { ssl: {} } : {}),
    },
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 30_000,
  };
}
