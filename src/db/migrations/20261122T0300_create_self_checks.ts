import { createTable, dropTables, longText, type Migration } from './columns.ts';

export const createSelfChecks: Migration = {
  name: '20261122T0300_create_self_checks',
  up: (knex) =>
    // What the service writes for itself alone: a sealed known text, and the time of the last write that was tried.
    createTable(knex, 'self_checks', (table) => {
      table.string('name', 32).primary();
      longText(table, 'value').notNullable();
    }),
  down: (knex) => dropTables(knex, 'self_checks'),
};
