import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createIdempotentCalls: Migration = {
  name: '20261121T1500_create_idempotent_calls',
  up: (knex) =>
    createTable(knex, 'idempotent_calls', (table) => {
      // Keyed hash of the credential and of the caller's idempotency key.
      table.string('key_hash', 64).primary();
      table.string('fingerprint', 64).notNullable();
      table.string('holder', 36).notNullable();
      table.string('state', 16).notNullable();
      time(table, 'leased_until').notNullable();
      longText(table, 'answer');
      time(table, 'created_at').notNullable();
      table.index(['created_at'], 'idempotent_calls_age');
    }),
  down: (knex) => dropTables(knex, 'idempotent_calls'),
};
