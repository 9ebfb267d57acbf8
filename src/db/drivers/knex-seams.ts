import type { Knex } from 'knex';
import { patiently } from '../unavailable.ts';

export interface Runner {
  run: () => Promise<unknown>;
}

type Query = (connection: { __knex__disposed?: unknown }, sql: string) => Promise<unknown>;

interface Begun {
  begin: (...parameters: [Parameters<Query>[0]]) => Promise<unknown>;
  trxClient: { query: Query };
}

/**
 * Makes a transaction begin with this statement, and end as it should where a statement of its own fails. Knex runs the
 * work of one that could not begin all the same, with every statement refused, while the connection is given back
 * already; and it tells of a failed rollback instead of why there was one.
 */
export function beginningWith(transaction: Knex.Transaction, sql: string): Knex.Transaction {
  const begun = transaction as unknown as Begun;
  begun.begin = (connection) => {
    const { query } = begun.trxClient;
    begun.trxClient.query = (on, statement) => {
      const outcome = query(on, statement);
      return statement === 'ROLLBACK' ? outcome.catch((error: unknown) => (on.__knex__disposed = error)) : outcome;
    };
    return query(connection, sql);
  };
  return transaction;
}

/** Makes a statement of its own patient; in a transaction it is the whole that is run again. */
export function patientRunner(client: Knex.Client, once: () => Runner): Runner {
  const runner = once();
  if ((client as { transacting?: boolean }).transacting) return runner;
  const first = runner.run.bind(runner);
  let begun = false;
  runner.run = () =>
    patiently(client.config, () => {
      // A runner keeps its connection, so that each try needs one of its own.
      if (begun) return once().run();
      begun = true;
      return first();
    });
  return runner;
}
