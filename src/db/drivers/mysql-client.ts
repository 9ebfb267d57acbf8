import type { Knex } from 'knex';
import Mysql2Client from 'knex/lib/dialects/mysql2/index.js';
import { patienceOf, UnansweredError, type Patience } from '../unavailable.ts';
import { beginningWith, patientRunner, type Runner } from './knex-seams.ts';

interface Connection {
  stream: { destroy: (error: Error) => void };
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
  override async _query(connection: Connection, statement: Statement): Promise<unknown> {
    if ((this.config as Patience).unhurried || statement.options?.slow) return super._query(connection, statement);
    const limit = patienceOf(this.config);
    const timer = setTimeout(() => connection.stream.destroy(new UnansweredError(limit)), limit);
    try {
      return await super._query(connection, statement);
    } finally {
      clearTimeout(timer);
    }
  }

  override transaction(...parts: Parameters<Knex.Client['transaction']>): Knex.Transaction {
    return beginningWith(super.transaction(...parts), 'begin');
  }

  override runner(builder: unknown): Runner {
    return patientRunner(this, () => super.runner(builder) as Runner);
  }
}
