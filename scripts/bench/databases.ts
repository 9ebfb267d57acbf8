export interface BenchDatabase {
  name: 'SQLite' | 'MariaDB';
  /** Returns the URL of a fresh database for this purpose, or undefined for SQLite. */
  url: (purpose: string | number) => Promise<string | undefined>;
  /** Returns the used processor seconds of the database server. SQLite runs in the service. */
  cpu?: () => number;
}
