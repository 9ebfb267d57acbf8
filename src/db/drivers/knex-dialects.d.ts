// Knex does not publish types for its database clients, which the classes in this folder extend.

declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';
  export default class extends Knex.Client {}
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Knex } from 'knex';
  export default class extends Knex.Client {}
}

declare module 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js' {
  import type { Knex } from 'knex';

  interface Inserted {
    columns: string[];
    values: unknown[][];
  }

  export default class {
    constructor(client: Knex.Client, builder: unknown, bindings?: unknown[]);
    readonly single: {
      limit?: number;
      insert?: unknown;
      onConflict?: unknown;
      ignore?: boolean;
      merge?: { updates?: unknown };
      returning?: unknown;
    };
    readonly grouped: { where?: unknown; with?: unknown };
    readonly client: {
      valueForUndefined: unknown;
      parameterize(values: unknown[], valueForUndefined: unknown, builder: unknown, bindingsHolder: unknown): string;
    };
    readonly builder: unknown;
    readonly bindingsHolder: unknown;
    readonly formatter: { columnize(columns: string[]): string };
    get tableName(): string;
    insert(): unknown;
    _getValueOrParameterFromAttribute(attribute: string, value?: unknown): unknown;
    _prepInsert(rows: unknown[]): Inserted;
    _ignore(columns: unknown): string;
    _merge(updates: unknown, columns: unknown, rows: unknown[]): string;
  }
}
