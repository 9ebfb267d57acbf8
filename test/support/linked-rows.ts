import type { Knex } from 'knex';
import { isDuplicate, isMysql } from '../../src/db/dialect.ts';

interface ForeignKey {
  table: string;
  column: string;
  parent: string;
}

const MIGRATION_TABLES = /^schema_migrations/;

export async function tablesOf(knex: Knex): Promise<string[]> {
  const names = isMysql(knex)
    ? await knex('information_schema.tables').whereRaw('table_schema = database()').pluck<string[]>('table_name')
    : await knex('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite_%').pluck<string[]>('name');
  return names.filter((name) => !MIGRATION_TABLES.test(name)).sort();
}

async function foreignKeysOf(knex: Knex): Promise<ForeignKey[]> {
  if (isMysql(knex))
    return knex('information_schema.key_column_usage')
      .whereRaw('table_schema = database()')
      .whereNotNull('referenced_table_name')
      .select<ForeignKey[]>({ table: 'table_name', column: 'column_name', parent: 'referenced_table_name' });
  const keys: ForeignKey[] = [];
  for (const table of await tablesOf(knex)) {
    const list: { from: string; table: string }[] = await knex.raw(`pragma foreign_key_list(${table})`);
    keys.push(...list.map(({ from, table: parent }) => ({ table, column: from, parent })));
  }
  return keys;
}

/** Inserts rows into any table. Values that are not given are unique numbers and texts that are also JSON. */
export class LinkedRows {
  readonly #knex: Knex;
  readonly #keys: readonly ForeignKey[];
  #next = 100;

  static async open(knex: Knex): Promise<LinkedRows> {
    return new LinkedRows(knex, await foreignKeysOf(knex));
  }

  private constructor(knex: Knex, keys: readonly ForeignKey[]) {
    this.#knex = knex;
    this.#keys = keys;
  }

  /** Inserts up to two rows into each table that refers to the parent. */
  async insertInto(parent: string, id: number): Promise<void> {
    for (const { table, column } of this.#keys.filter((key) => key.parent === parent))
      for (let n = 0; n < 2; n++)
        await this.insert(table, { [column]: id }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
  }

  /** Returns the ID. */
  async insert(table: string, given: Record<string, unknown>): Promise<number | string> {
    const row = { ...given };
    for (const [name, { type, nullable, defaultValue, maxLength }] of Object.entries(
      await this.#knex(table).columnInfo(),
    )) {
      const isNumber = /int/i.test(type);
      if (name in row || defaultValue !== null || (name === 'id' ? isNumber : nullable)) continue;
      const parent = this.#keys.find((key) => key.table === table && key.column === name)?.parent;
      const value = parent === undefined ? this.#next++ : await this.insert(parent, {});
      row[name] = isNumber ? (/tiny/i.test(type) ? 0 : value) : String(value).slice(-(Number(maxLength) || 20));
    }
    const [id] = await this.#knex(table).insert(row);
    return typeof row['id'] === 'string' ? row['id'] : (id as number);
  }
}

/** Returns the rows of all tables as JSON. */
export async function readAllRows(knex: Knex): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>();
  for (const table of await tablesOf(knex))
    rows.set(
      table,
      (await knex(table).select<object[]>()).map((row) => JSON.stringify(row)),
    );
  return rows;
}
