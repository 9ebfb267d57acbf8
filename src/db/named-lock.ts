import type { Knex } from 'knex';
import { exemptFromTimeout } from './dialect.ts';

/**
 * Runs `work` while no other process holds the MySQL lock `name`. A separate connection holds the lock, so the lock
 * ends with the process. That connection is in no transaction, because the server ends idle transactions. Throws if the
 * lock is not free within `waitSeconds`.
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
  // Lock names are shared by the whole server, and several databases of this service can be on one server.
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
