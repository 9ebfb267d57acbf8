import type { Knex } from 'knex';
import { isMysql } from './dialect.ts';
import type { Database } from './database.ts';
import { withNamedLock } from './named-lock.ts';
import { inTransaction, type TransactionScope } from './transaction.ts';

const WAIT_SECONDS = 60;

/**
 * Runs work that only one process at a time may run under this name. Throws if it cannot get the lock in 60 seconds. On
 * SQLite, takes no lock, because only one service runs there. Work that admin commands also do must use
 * `inLockedTransaction`.
 */
export const withProcessLock = <T>(knex: Knex, name: string, work: () => Promise<T>): Promise<T> =>
  isMysql(knex) ? withNamedLock(knex, name, WAIT_SECONDS, work) : work();

/**
 * Runs a transaction under `withProcessLock`. On MySQL the lock is held until after the commit. On SQLite every
 * transaction is the only writer from its beginning.
 */
export async function inLockedTransaction<T>(
  { knex }: Database,
  name: string,
  work: (scope: TransactionScope) => Promise<T>,
): Promise<T> {
  return withProcessLock(knex, name, () => inTransaction(knex, work));
}
