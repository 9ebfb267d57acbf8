import type { Knex } from 'knex';

/**
 * Maximum size of a part. A statement contains two hex digits for each byte, and a server may limit a statement to one
 * megabyte.
 */
const PART_BYTES = 256 * 1024;

interface BinaryPartsLocation {
  table: string;
  key: Readonly<Record<string, string | number>>;
}

export async function writeBinaryParts(
  trx: Knex,
  { table, key }: BinaryPartsLocation,
  bytes: Uint8Array,
): Promise<void> {
  for (let part = 0; part * PART_BYTES < bytes.length; part++) {
    const some = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    await trx(table).insert({ ...key, part, bytes: some });
  }
}

export async function readBinaryParts(db: Knex, { table, key }: BinaryPartsLocation): Promise<Buffer> {
  const parts = await db(table).where(key).orderBy('part').pluck<Uint8Array[]>('bytes');
  return Buffer.concat(parts);
}
