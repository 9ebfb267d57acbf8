import { isMysql, exemptFromTimeout } from './dialect.ts';
import type { Database } from './database.ts';
import { inTransaction, type Scope } from './transaction.ts';

const WAIT_SECONDS = 60;

/**
 * Runs a transaction that only one process at a time may run under this name. Throws if it cannot get the lock in 60
 * seconds.
 *
 * On MySQL it holds a named lock on a separate connection until after the commit. On SQLite every transaction is the
 * only writer from its beginning.
 */
export async function inLockedTransaction<T>(
  { knex }: Database,
  name: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  if (!isMysql(knex)) return inTransaction(knex, work);
  return knex.transaction(async (holder) => {
    // Lock names belong to the whole server, which may have more than one of our databases.
    const lock = `concat(left(sha1(database()), 16), ':', ?)`;
    const [[answer]] = (await exemptFromTimeout(
      holder.raw(`select get_lock(${lock}, ?) as held`, [name, WAIT_SECONDS]),
    )) as [[{ held: number | null }]];
    if (answer.held !== 1)
      throw new Error(`The database lock ${name} could not be acquired within ${WAIT_SECONDS} seconds.`);
    try {
      return await inTransaction(knex, work);
    } finally {
      await holder.raw(`select release_lock(${lock})`, [name]);
    }
  });
}
