import { inspect } from 'node:util';
import type { Database } from '../../src/db/database.ts';

export interface DatabaseCell {
  place: string;
  /** Text as stored. Bytes are Latin-1 characters. */
  text: string;
}

/** Returns every non-empty column of every row of every table. */
export async function dumpDatabase({ knex, dialect }: Database): Promise<DatabaseCell[]> {
  const found: unknown =
    dialect === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'table' }).pluck('name')
      : await knex('information_schema.tables').whereRaw('table_schema = database()').pluck('table_name');
  const cells: DatabaseCell[] = [];
  for (const table of found as string[])
    for (const row of (await knex(table).select()) as Record<string, unknown>[])
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue;
        const text = Buffer.isBuffer(value) ? value.toString('latin1') : stringOf(value);
        cells.push({ place: `${table}.${column}`, text });
      }
  return cells;
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));

/** Returns the forms in which a secret could appear: plain, escaped, or inside base64 at each alignment. */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const aligned = [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The first and last base64 groups depend on the text around the secret.
    const inside = padded.slice(shift === 0 ? 0 : 4, Math.floor((bytes.length + shift) / 3) * 4);
    return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encodeURIComponent(encoded),
    bytes.toString('hex'),
    ...aligned,
  ];
}
