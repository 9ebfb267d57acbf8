import type { Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import { endLongTurnOfStatements } from '../../shared/event-loop.ts';
import type { LongReadContext } from '../long-read.ts';
import { withBeginStatement, createBusyRetryRunner, withConnection, type KnexRunner } from './knex-overrides.ts';
import { SqliteCheckpoints } from './sqlite-checkpoints.ts';
import { isDamage } from './sqlite-errors.ts';
import { SqliteCompiler } from './sqlite-compiler.ts';
import { SqliteConnection, type Binding, type SqliteRunResult } from './sqlite-connection.ts';
import { SqliteReadThread } from './sqlite-read-thread.ts';

export interface DamageReport {
  onDamage?: (error: unknown) => void;
}

interface Statement {
  sql: string;
  bindings?: unknown[];
  /** `width` is the number of values per row, if the statement runs once for each row of its bindings. */
  options?: { width?: number };
  response?: unknown;
  context?: unknown;
  queryContext?: LongReadContext;
}

const READS = new Set(['select', 'first', 'pluck']);

/**
 * Holds the connection for reads. Knex clones a client, for example for migrations, and copies its fields and the plain
 * objects in them. An object of a class is not copied but shared. So all clones have the same holder, and none keeps a
 * connection that was closed.
 */
class SharedReader {
  #connection: SqliteConnection | null = null;
  #thread: SqliteReadThread | null = null;

  open(filename: string): SqliteConnection {
    return (this.#connection ??= new SqliteConnection(filename, { readOnly: true }));
  }

  /** Called before a schema change. Only a connection that is opened after the change knows the new columns. */
  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  thread(filename: string): SqliteReadThread {
    return (this.#thread ??= new SqliteReadThread(filename));
  }

  async closeThread(filename: string): Promise<void> {
    await this.thread(filename).close();
  }
}

/**
 * Knex client for `node:sqlite`. Reads outside transactions use a separate connection, so that they do not wait for an
 * open transaction.
 */
export class SqliteClient extends BetterSqlite3Client {
  private readonly reader = new SharedReader();
  private checkpoints: SqliteCheckpoints | null = null;

  override initializeDriver(): void {
    this.driver = SqliteConnection;
  }

  override async acquireRawConnection(): Promise<SqliteConnection> {
    const checkpoints = (this.checkpoints ??= new SqliteCheckpoints(this.filename));
    return new SqliteConnection(this.filename, {
      onCommit: () => checkpoints.afterCommit(),
      onSchemaChange: () => this.reader.close(),
    });
  }

  private get filename(): string {
    return (this.connectionSettings as { filename: string }).filename;
  }

  async _query(connection: SqliteConnection, statement: Statement): Promise<Statement> {
    // Statements are synchronous. Without this pause, a task that runs many statements in a row would block all other
    // requests.
    const turn = endLongTurnOfStatements();
    if (turn) await turn;
    const isLong = statement.queryContext?.isLongRead === true && this.hasReader;
    const outcome = isLong ? await this.runInThread(statement) : this.runOn(connection, statement);
    statement.response = 'rows' in outcome ? outcome.rows : outcome;
    statement.context = outcome;
    return statement;
  }

  /**
   * The methods are not `#private`, because the client of a transaction could not call them: Knex creates that client
   * with this one as its prototype.
   */
  private runOn(connection: SqliteConnection, { sql, bindings = [], options = {} }: Statement): SqliteRunResult {
    const { width } = options;
    try {
      const values = bindings.map(toBinding);
      if (width === undefined) return connection.run(sql, values);
      connection.runForRows(sql, values, width);
      return { rows: [] };
    } catch (error) {
      throw this.reported(error);
    }
  }

  private async runInThread({ sql, bindings = [] }: Statement): Promise<SqliteRunResult> {
    try {
      return { rows: await this.reader.thread(this.filename).all(sql, bindings.map(toBinding)) };
    } catch (error) {
      throw this.reported(error);
    }
  }

  private reported(error: unknown): unknown {
    if (isDamage(error)) (this.config as DamageReport).onDamage?.(error);
    return error;
  }

  /**
   * Begins each transaction as a writer. On SQLite, a transaction that begins with a read cannot write once another
   * process has written.
   */
  override transaction(...parts: Parameters<Knex.Client['transaction']>): Knex.Transaction {
    return withBeginStatement(super.transaction(...parts), 'begin immediate');
  }

  override queryCompiler(builder: unknown, bindings?: unknown[]): SqliteCompiler {
    return new SqliteCompiler(this, builder, bindings);
  }

  override runner(builder: { _method?: string }): KnexRunner {
    const isRead = READS.has(builder._method ?? '') && this.hasReader;
    return createBusyRetryRunner(this, () => {
      const runner = super.runner(builder) as KnexRunner;
      return isRead ? withConnection(runner, () => this.openReader()) : runner;
    });
  }

  /**
   * True if reads have a separate connection. A transaction reads on its own connection. For a database in memory, a
   * second connection would open another database.
   */
  get hasReader(): boolean {
    return !(this as { transacting?: boolean }).transacting && this.filename !== ':memory:';
  }

  openReader(): SqliteConnection {
    return this.reader.open(this.filename);
  }

  override async destroy(callback?: () => void): Promise<void> {
    this.reader.close();
    await this.reader.closeThread(this.filename);
    await this.checkpoints?.close();
    await super.destroy(callback);
  }

  override releaseConnection(connection: SqliteConnection & { __knex__disposed?: Error }): unknown {
    if (connection.isTransaction) {
      connection.__knex__disposed = new Error('The connection was released inside a transaction.');
      connection.abandon();
    }
    return super.releaseConnection(connection);
  }
}

function toBinding(value: unknown): Binding {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.valueOf() : (value as Binding);
}
