import { sqlite, type SqliteFile, type SqliteStatement } from './sqlite-module.ts';

export type Binding = string | number | bigint | Uint8Array | null;
type Row = Record<string, unknown>;

/** What a statement gave: rows, or what it changed. */
export type Outcome = { rows: Row[] } | { changes: number; lastID: number };

interface Prepared {
  statement: SqliteStatement;
  /** Names of the columns that it gives; a statement without any gives no rows. */
  columns: string[];
}

const KEPT_STATEMENTS = 400;
/** Opening a file may meet another process that closes it, which is a matter of milliseconds. */
const OPENING_WAIT_MS = 5000;

/**
 * Pages of 4 KB that may wait in the log before they are copied into the file, which takes two waits for the disk: four
 * times SQLite's own number, so that pages that change again and again are copied once.
 */
const LOGGED_PAGES = 4_000;

/**
 * Memory for pages of the file, in KB. The operating system keeps what does not fit: with twice as much, lists of
 * 100,000 sites and a sync of 10,000 took as long, and the process grew by the difference.
 */
const CACHED_KB = 32_768;

const PRAGMAS = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma foreign_keys = on;
  pragma cache_size = -${CACHED_KB};
  pragma busy_timeout = 0;
  pragma wal_autocheckpoint = ${LOGGED_PAGES};
`;

/** One open file, with the statements that were prepared on it. */
export class SqliteConnection {
  readonly #file: SqliteFile;
  readonly #kept = new Map<string, Prepared>();

  constructor(name: string) {
    this.#file = named(() => new sqlite.DatabaseSync(name, { timeout: OPENING_WAIT_MS }));
    named(() => this.#file.exec(PRAGMAS));
  }

  get isTransaction(): boolean {
    return this.#file.isTransaction;
  }

  run(sql: string, bindings: Binding[]): Outcome {
    return named(() => {
      const { statement, columns } = this.#prepare(sql);
      if (columns.length === 0) {
        const { changes, lastInsertRowid } = statement.run(...bindings);
        return { changes: Number(changes), lastID: Number(lastInsertRowid) };
      }
      // Rows as arrays, made into objects here: faster than objects of the driver, which have no prototype either.
      const rows = statement.all(...bindings) as unknown[][];
      return { rows: rows.map((values) => toRow(columns, values)) };
    });
  }

  /**
   * Lets go of what a transaction holds: a file that is closed keeps it for as long as a statement of it is remembered.
   */
  abandon(): void {
    try {
      this.#file.exec('rollback');
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.#file.isOpen) this.#file.close();
  }

  /**
   * To prepare a statement costs more than most of them take to run. They are run to their end at once, so that one of
   * a text is enough; the oldest of too many texts goes.
   */
  #prepare(sql: string): Prepared {
    const known = this.#kept.get(sql);
    if (known) return known;
    const statement = this.#file.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    if (/^\s*(create|alter|drop)\b/i.test(sql)) this.#kept.clear();
    if (!/^\s*(select|insert|update|delete|begin|commit)\b/i.test(sql)) return prepared;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT_STATEMENTS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(sql, prepared);
    return prepared;
  }
}

function toRow(columns: string[], values: unknown[]): Row {
  const row: Row = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
  return row;
}

/**
 * SQLite's result codes that are told apart, by number; an extended one that is not listed counts as its primary one.
 */
const CODES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/** Gives the driver's errors the names of SQLite's codes; it has one code for all of them, and a number. */
function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (typeof errcode === 'number')
      Object.assign(error as Error, { code: CODES[errcode] ?? CODES[errcode & 0xff] ?? 'SQLITE_ERROR' });
    throw error;
  }
}
