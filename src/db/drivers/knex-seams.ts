import type { Knex } from 'knex';
import { patiently } from '../unavailable.ts';

export interface Runner {
  run: () => Promise<unknown>;
}

interface Begun {
  begin: (connection: unknown) => Promise<unknown>;
  trxClient: { query: (connection: unknown, sql: string) => Promise<unknown> };
}

/**
 * Makes a transaction begin with this statement. Where Knex begins one itself and the beginning fails, it runs the work all the
 * same, with every statement refused, while the connection is given back already.
 */
export function beginningWith(transaction: Knex.Transaction, sql: string): Knex.Transaction {
  const begun = transaction as unknown as Begun;
  begun.begin = (connection) => begun.trxClient.query(connection, sql);
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
