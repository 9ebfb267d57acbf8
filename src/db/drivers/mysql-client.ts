import type { Knex } from 'knex';
import Mysql2Client from 'knex/lib/dialects/mysql2/index.js';
import {
  timeoutMsOf,
  toUnavailableError,
  StatementTimeoutError,
  type DatabaseTimeouts,
} from '../database-unavailable.ts';
import { isWriteConflict } from '../dialect.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { withBeginStatement } from './knex-overrides.ts';

interface Connection {
  stream: { destroy: (error: Error) => void };
  isAwaited?: boolean;
  /** One timer per connection. A timer for every statement would cost 5 % of the response time of a list. */
  deadline?: NodeJS.Timeout;
}

interface Statement {
  options?: { slow?: true };
}

export class MysqlClient extends Mysql2Client {
  override query(connection: Connection, statement: Statement | string): Promise<unknown> {
    const run = (): Promise<unknown> => this.runInTime(connection, statement);
    // In a transaction, the original error is thrown, because it shows if the whole transaction may be repeated. The
    // code that runs the transaction converts the error.
    if ((this as { transacting?: boolean }).transacting) return run();
    return retryOnConflict(isWriteConflict, run).catch((error: unknown) => {
      throw toUnavailableError(error);
    });
  }

  /**
   * If the server does not respond in time, the connection is closed too, because the response could still arrive on
   * it. This is no `#private` method, because the client of a transaction could not call it: Knex creates that client
   * with this one as its prototype.
   */
  private runInTime(connection: Connection, statement: Statement | string): Promise<unknown> {
    const outcome = super.query(connection, statement) as Promise<unknown>;
    if (!(this.config as DatabaseTimeouts).unhurried && !(statement as Statement).options?.slow) {
      connection.isAwaited = true;
      connection.deadline =
        connection.deadline?.refresh() ?? destroyConnectionAfter(timeoutMsOf(this.config), connection);
    }
    return outcome.finally(() => {
      connection.isAwaited = false;
    });
  }

  override async acquireConnection(): Promise<unknown> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw toUnavailableError(error);
    }
  }

  override transaction(...parts: Parameters<Knex.Client['transaction']>): Knex.Transaction {
    return withBeginStatement(super.transaction(...parts), 'begin');
  }
}

function destroyConnectionAfter(limit: number, connection: Connection): NodeJS.Timeout {
  return setTimeout(() => {
    if (connection.isAwaited) connection.stream.destroy(new StatementTimeoutError(limit));
  }, limit).unref();
}
