import { createTable, dropTables, time, type Migration } from './columns.ts';

export const createCallLeases: Migration = {
  name: '20261124T1700_create_call_leases',
  up: (knex) =>
    // Exclusive right of a process to call a site. A row is inserted once per site and updated for each call. After a
    // call, `leased_until` is 0 and `holder` remains.
    createTable(knex, 'site_call_leases', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('holder', 36).notNullable();
      time(table, 'leased_until').notNullable();
    }),
  down: (knex) => dropTables(knex, 'site_call_leases'),
};
