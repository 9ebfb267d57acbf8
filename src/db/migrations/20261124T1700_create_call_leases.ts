import { createTable, dropTables, time, type Migration } from './columns.ts';

export const createCallLeases: Migration = {
  name: '20261124T1700_create_call_leases',
  up: (knex) =>
    // Right of one process to call a site. A row is written once per site and updated for each call. `holder` is kept
    // after a call, when `leased_until` is 0.
    createTable(knex, 'site_call_leases', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('holder', 36).notNullable();
      time(table, 'leased_until').notNullable();
    }),
  down: (knex) => dropTables(knex, 'site_call_leases'),
};
