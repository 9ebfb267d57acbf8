import { createTable, dropTables, longText, type Migration } from './columns.ts';

export const createSelfChecks: Migration = {
  name: '20261122T0300_create_self_checks',
  up: (knex) =>
    // Values that only the service uses: a known text in encrypted form, and the time of the last test write.
    createTable(knex, 'self_checks', (table) => {
      table.string('name', 32).primary();
      longText(table, 'value').notNullable();
    }),
  down: (knex) => dropTables(knex, 'self_checks'),
};
