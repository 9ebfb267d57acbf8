import { LOG_BYTES } from './sqlite-checkpoints.ts';
import { withErrorCodes } from './sqlite-errors.ts';
import { sqliteModule, type SqliteFile } from './sqlite-module.ts';
import { SqliteQuery, type Binding, type Row } from './sqlite-query.ts';

export type { Binding } from './sqlite-query.ts';

export type SqliteRunResult = { rows: Row[] } | { changes: number; lastID: number };

const MAX_CACHED_STATEMENTS = 400;
/** Time to wait for the file. Another process may be closing it, which takes a few milliseconds. */
const OPENING_WAIT_MS = 5000;

/**
 * Size of the write-ahead log, in pages of 4 KB, from which a commit itself copies the log into the database file.
 * Usually the thread of `SqliteCheckpoints` has copied it earlier. But while commits follow each other without a pause,
 * that thread never catches up, and the log grows: SQLite writes to the start of the log again only after a copy that
 * no commit overtook.
 */
const MOST_LOGGED_PAGES = 25_000;

/**
 * Sizes of the page caches in KB. The operating system caches further pages. With twice the cache for reads, lists of
 * 100,000 sites and a sync of 10,000 sites were not faster, and the process used that much more memory. A commit writes
 * all changed pages in the cache at once, so the writer has a smaller cache.
 */
const CACHED_KB = { reader: 32_768, writer: 8_192 };

const PRAGMAS = `
  pragma journal_mode = wal;
  pragma journal_size_limit = ${LOG_BYTES};
  pragma synchronous = normal;
  pragma foreign_keys = on;
  pragma busy_timeout = 0;
  pragma wal_autocheckpoint = ${MOST_LOGGED_PAGES};
`;

interface SqliteConnectionOptions {
  readOnly?: boolean;
  onCommit?: () => void;
  onSchemaChange?: () => void;
}

export class SqliteConnection {
  readonly #file: SqliteFile;
  readonly #isReadOnly: boolean;
  readonly #onCommit: (() => void) | undefined;
  readonly #onSchemaChange: (() => void) | undefined;
  readonly #statements = new Map<string, SqliteQuery>();

  constructor(name: string, { readOnly = false, onCommit, onSchemaChange }: SqliteConnectionOptions = {}) {
    this.#isReadOnly = readOnly;
    this.#onCommit = onCommit;
    this.#onSchemaChange = onSchemaChange;
    this.#file = withErrorCodes(() => new sqliteModule.DatabaseSync(name, { timeout: OPENING_WAIT_MS }));
    const cachedKb = readOnly ? CACHED_KB.reader : CACHED_KB.writer;
    withErrorCodes(() => this.#file.exec(`${PRAGMAS} pragma cache_size = -${cachedKb};`));
    // The file itself is not opened read-only, because the first read of a new database creates it.
    if (readOnly) withErrorCodes(() => this.#file.exec('pragma query_only = on'));
  }

  get isTransaction(): boolean {
    return this.#file.isTransaction;
  }

  run(sql: string, bindings: Binding[]): SqliteRunResult {
    return withErrorCodes(() => {
      const query = this.#prepare(sql);
      if (query.returnsRows) return { rows: query.all(bindings) };
      const { changes, lastInsertRowid } = query.statement.run(...bindings);
      if (!this.#file.isTransaction) this.#onCommit?.();
      return { changes: Number(changes), lastID: Number(lastInsertRowid) };
    });
  }

  /**
   * Runs a statement that returns no rows once for each row of `width` values. After an error, the rows before it stay
   * until the transaction is rolled back.
   */
  runForRows(sql: string, bindings: readonly Binding[], width: number): void {
    withErrorCodes(() => {
      const { statement } = this.#prepare(sql);
      for (let from = 0; from < bindings.length; from += width) statement.run(...bindings.slice(from, from + width));
    });
  }

  /**
   * Rolls back the transaction and closes the file. Closing alone would keep the locks of the transaction while a
   * prepared statement is still referenced.
   */
  abandon(): void {
    try {
      this.#file.exec('rollback');
    } finally {
      this.close();
    }
  }

  /**
   * Copies the write-ahead log into the file first. SQLite does so itself when the last connection closes, but not
   * while a prepared statement is still referenced. Then a copy of the file alone would miss the latest data.
   */
  close(): void {
    if (!this.#file.isOpen) return;
    if (!this.#isReadOnly) this.#copyLog();
    this.#file.close();
  }

  /**
   * Copies the log as far as possible. Pages that another connection is reading stay in the log, and SQLite reads them
   * from there.
   */
  #copyLog(): void {
    try {
      this.#file.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // If the copy fails, the log keeps the data.
    }
  }

  /**
   * Returns a cached statement, because preparing takes longer than running for most statements. Each run ends before
   * the next one begins, so one statement per text is enough. A full cache drops its oldest entry.
   */
  #prepare(sql: string): SqliteQuery {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = new SqliteQuery(this.#file, sql);
    if (/^\s*(create|alter|drop)\b/i.test(sql)) {
      this.#statements.clear();
      this.#onSchemaChange?.();
    }
    if (!/^\s*(select|insert|update|delete|begin|commit)\b/i.test(sql)) return prepared;
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= MAX_CACHED_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
