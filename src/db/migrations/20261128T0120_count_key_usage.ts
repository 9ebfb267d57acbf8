import { createTable, dropTables, type Migration } from './columns.ts';

export const countKeyUsage: Migration = {
  name: '20261128T0120_count_key_usage',
  up: (knex) =>
    createTable(knex, 'key_usage', (table) => {
      table.integer('key_id').unsigned().notNullable().references('api_keys.id').onDelete('CASCADE');
      // Number of days since 1970, in UTC.
      table.integer('day').notNullable();
      table.string('operation', 100).notNullable();
      table.integer('calls').unsigned().notNullable();
      table.integer('errors').unsigned().notNullable();
      table.primary(['key_id', 'day', 'operation']);
      table.index(['day'], 'key_usage_day');
    }),
  down: (knex) => dropTables(knex, 'key_usage'),
};
