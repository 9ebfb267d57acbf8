export interface BenchDatabase {
  name: 'SQLite' | 'MariaDB';
  /** Returns the URL of a fresh database for this purpose, or undefined for SQLite. */
  url: (purpose: string | number) => Promise<string | undefined>;
}
