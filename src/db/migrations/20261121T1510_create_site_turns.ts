import { createTable, dropTables, time, type Migration } from './columns.ts';

export const createSiteTurns: Migration = {
  name: '20261121T1510_create_site_turns',
  up: (knex) =>
    createTable(knex, 'site_turns', (table) => {
      table.integer('site_id').unsigned().primary();
      table.string('holder', 36).notNullable();
      time(table, 'leased_until').notNullable();
    }),
  down: (knex) => dropTables(knex, 'site_turns'),
};
