import type { Knex } from 'knex';
import { exemptFromTimeout } from './dialect.ts';

/**
 * Runs `work` while no other process holds the lock of this name, on MySQL. The lock belongs to a connection of its own
 * and ends with the process. Throws if it is not free within `waitSeconds`.
 */
export function withNamedLock<T>(knex: Knex, name: string, waitSeconds: number, work: () => Promise<T>): Promise<T> {
  return knex.transaction(async (holder) => {
    // Lock names belong to the whole server, which may have more than one of our databases.
    const lock = `concat(left(sha1(database()), 16), ':', ?)`;
    const [[answer]] = (await exemptFromTimeout(
      holder.raw(`select get_lock(${lock}, ?) as held`, [name, waitSeconds]),
    )) as [[{ held: number | null }]];
    if (answer.held !== 1)
      throw new Error(`The database lock ${name} could not be acquired within ${waitSeconds} seconds.`);
    try {
      return await work();
    } finally {
      await holder.raw(`select release_lock(${lock})`, [name]);
    }
  });
}
