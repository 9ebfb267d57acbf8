import type { Knex } from 'knex';

/** A statement names bytes with two digits each, and a server may take no more than a megabyte of it. */
const PART_BYTES = 256 * 1024;

/**
 * Where the bytes of one file are: a table with the columns `part` and `bytes`, and what tells the file from others.
 */
interface Place {
  table: string;
  key: Readonly<Record<string, string | number>>;
}

/** Keeps bytes of any number, in rows of a size that every database takes. */
export async function writeBytes(trx: Knex, { table, key }: Place, bytes: Uint8Array): Promise<void> {
  for (let part = 0; part * PART_BYTES < bytes.length; part++) {
    const some = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    await trx(table).insert({ ...key, part, bytes: some });
  }
}

/** All of them; none, where nothing was kept. */
export async function readBytes(db: Knex, { table, key }: Place): Promise<Buffer> {
  const parts = await db(table).where(key).orderBy('part').pluck<Uint8Array[]>('bytes');
  return Buffer.concat(parts);
}
