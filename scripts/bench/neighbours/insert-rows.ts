import type { Knex } from 'knex';

const CHUNK = 500;
const CHUNKS_A_TRANSACTION = 20;

export async function insertRows(
  knex: Knex,
  table: string,
  count: number,
  rowAt: (index: number) => object,
): Promise<void> {
  for (let start = 0; start < count; start += CHUNK * CHUNKS_A_TRANSACTION)
    await knex.transaction(async (trx) => {
      const end = Math.min(count, start + CHUNK * CHUNKS_A_TRANSACTION);
      for (let first = start; first < end; first += CHUNK) {
        const size = Math.min(CHUNK, end - first);
        await trx(table).insert(Array.from({ length: size }, (_, offset) => rowAt(first + offset)));
        // SQLite releases native statement handles only between turns of the event loop.
        await new Promise(setImmediate);
      }
    });
}
