import type { Knex } from 'knex';
import { exemptFromTimeout } from './dialect.ts';

/**
 * Runs `work` while no other process holds the lock of this name, on MySQL. The lock belongs to a connection of its own
 * and ends with the process. The connection is in no transaction, because the server ends those that are idle. Throws
 * if the lock is not free within `waitSeconds`.
 */
export async function withNamedLock<T>(
  knex: Knex,
  name: string,
  waitSeconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const client = knex.client as Knex.Client;
  const holder = (await client.acquireConnection()) as object;
  const run = (sql: string, bindings: Knex.RawBinding[]): Promise<unknown> =>
    exemptFromTimeout(knex.raw(sql, bindings)).connection(holder);
  // Lock names belong to the whole server, which may have more than one of our databases.
  const lock = `concat(left(sha1(database()), 16), ':', ?)`;
  try {
    const [[answer]] = (await run(`select get_lock(${lock}, ?) as held`, [name, waitSeconds])) as [
      [{ held: number | null }],
    ];
    if (answer.held !== 1)
      throw new Error(`The database lock ${name} could not be acquired within ${waitSeconds} seconds.`);
    try {
      return await work();
    } finally {
      await run(`select release_lock(${lock})`, [name]);
    }
  } finally {
    await client.releaseConnection(holder);
  }
}
