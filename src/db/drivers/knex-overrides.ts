import type { Knex } from 'knex';
import { retryWhileBusy } from '../database-unavailable.ts';

export interface KnexRunner {
  run: () => Promise<unknown>;
}

type ConnectionCallback = (runner: KnexRunner, parameters: unknown) => unknown;

interface RunnerInternals extends KnexRunner {
  connection?: unknown;
  ensureConnection: (callback: ConnectionCallback, parameters: unknown) => Promise<unknown>;
}

type KnexQuery = (connection: { __knex__disposed?: unknown }, sql: string) => Promise<unknown>;

interface TransactionInternals {
  begin: (...parameters: [Parameters<KnexQuery>[0]]) => Promise<unknown>;
  trxClient: { query: KnexQuery };
}

/**
 * Makes a transaction begin with the statement `sql`, and corrects two behaviors of Knex. If a transaction cannot
 * begin, Knex still runs the callback of the transaction, but refuses all of its statements and has already released
 * the connection. If a rollback fails, Knex reports that error instead of the cause of the rollback.
 */
export function withBeginStatement(transaction: Knex.Transaction, sql: string): Knex.Transaction {
  const begun = transaction as unknown as TransactionInternals;
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

/** Retries a statement while the database is busy. In a transaction, the whole transaction is retried instead. */
export function createBusyRetryRunner(client: Knex.Client, once: () => KnexRunner): KnexRunner {
  const runner = once();
  if ((client as { transacting?: boolean }).transacting) return runner;
  const first = runner.run.bind(runner);
  let begun = false;
  runner.run = () =>
    retryWhileBusy(client.config, () => {
      // A runner keeps its connection, so each retry needs a new runner.
      if (begun) return once().run();
      begun = true;
      return first();
    });
  return runner;
}

export function withConnection(runner: KnexRunner, connect: () => unknown): KnexRunner {
  const connected = runner as RunnerInternals;
  connected.ensureConnection = async (callback, parameters) => {
    connected.connection = connect();
    return callback(connected, parameters);
  };
  return connected;
}
