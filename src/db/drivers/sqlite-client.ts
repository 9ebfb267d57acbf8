import type { Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import { withBeginStatement, createBusyRetryRunner, type KnexRunner } from './knex-overrides.ts';
import { isDamage } from './sqlite-errors.ts';
import { SqliteCompiler } from './sqlite-compiler.ts';
import { SqliteConnection, type Binding, type SqliteRunResult } from './sqlite-connection.ts';

export interface DamageReport {
  onDamage?: (error: unknown) => void;
}

interface Statement {
  sql: string;
  bindings?: unknown[];
  response?: unknown;
  context?: unknown;
}

/** Knex client on the API of `node:sqlite`. */
export class SqliteClient extends BetterSqlite3Client {
  override initializeDriver(): void {
    this.driver = SqliteConnection;
  }

  override async acquireRawConnection(): Promise<SqliteConnection> {
    return new SqliteConnection((this.connectionSettings as { filename: string }).filename);
  }

  async _query(connection: SqliteConnection, statement: Statement): Promise<Statement> {
    const outcome = this.runOn(connection, statement);
    statement.response = 'rows' in outcome ? outcome.rows : outcome;
    statement.context = outcome;
    return statement;
  }

  /** A private field would be missing in the client of a transaction, which has this one as its prototype. */
  private runOn(connection: SqliteConnection, { sql, bindings = [] }: Statement): SqliteRunResult {
    try {
      return connection.run(sql, bindings.map(toBinding));
    } catch (error) {
      if (isDamage(error)) (this.config as DamageReport).onDamage?.(error);
      throw error;
    }
  }

  /** A transaction that begins with a read cannot become a writer after another process has written. */
  override transaction(...parts: Parameters<Knex.Client['transaction']>): Knex.Transaction {
    return withBeginStatement(super.transaction(...parts), 'begin immediate');
  }

  override queryCompiler(builder: unknown, bindings?: unknown[]): SqliteCompiler {
    return new SqliteCompiler(this, builder, bindings);
  }

  override runner(builder: unknown): KnexRunner {
    return createBusyRetryRunner(this, () => super.runner(builder) as KnexRunner);
  }

  /** Rolls back and discards a connection that is released before its transaction was ended. */
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
