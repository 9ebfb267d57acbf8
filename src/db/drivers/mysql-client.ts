import type { Knex } from 'knex';
import Mysql2Client from 'knex/lib/dialects/mysql2/index.js';
import { patienceOf, toAvailability, UnansweredError, type Patience } from '../unavailable.ts';
import { beginningWith } from './knex-seams.ts';

interface Connection {
  stream: { destroy: (error: Error) => void };
  /** Set while a statement runs on this connection; it runs one at a time. */
  isAwaited?: boolean;
  /** One of each connection, for all of its statements: a timer for every statement costs 5 % of a list's answer. */
  deadline?: NodeJS.Timeout;
}

interface Statement {
  options?: { slow?: true };
}

/** Knex on MySQL, whose statements end. */
export class MysqlClient extends Mysql2Client {
  /**
   * A server that does not answer in time is given up together with the connection, on which its answer might still
   * come.
   */
  override query(connection: Connection, statement: Statement | string): Promise<unknown> {
    const outcome = super.query(connection, statement) as Promise<unknown>;
    if (!(this.config as Patience).unhurried && !(statement as Statement).options?.slow) {
      connection.isAwaited = true;
      connection.deadline = connection.deadline?.refresh() ?? endAfter(patienceOf(this.config), connection);
    }
    return outcome.then(
      (answer) => {
        connection.isAwaited = false;
        return answer;
      },
      (error: unknown) => {
        connection.isAwaited = false;
        // A transaction is run again as a whole where that helps, and tells then what was in its way.
        throw (this as { transacting?: boolean }).transacting ? error : toAvailability(error);
      },
    );
  }

  override async acquireConnection(): Promise<unknown> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw toAvailability(error);
    }
  }

  override transaction(...parts: Parameters<Knex.Client['transaction']>): Knex.Transaction {
    return beginningWith(super.transaction(...parts), 'begin');
  }
}

function endAfter(limit: number, connection: Connection): NodeJS.Timeout {
  return setTimeout(() => {
    if (connection.isAwaited) connection.stream.destroy(new UnansweredError(limit));
  }, limit).unref();
}
