import { createTable, dropTables, time, type Migration } from './columns.ts';

export const createSiteTurns: Migration = {
  name: '20261121T1510_create_site_turns',
  up: (knex) =>
    // Leases for updates of a site. There is no foreign key, because it would lock the row of the site, which other
    // transactions write while a lease is held.
    createTable(knex, 'site_turns', (table) => {
      table.integer('site_id').unsigned().primary();
      table.string('holder', 36).notNullable();
      time(table, 'leased_until').notNullable();
    }),
  down: (knex) => dropTables(knex, 'site_turns'),
};
