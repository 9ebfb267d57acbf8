import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createBackupProviders: Migration = {
  name: '20261122T0930_create_backup_providers',
  up: (knex) =>
    createTable(knex, 'backup_providers', (table) => {
      table.string('slug', 32).primary();
      flag(table, 'enabled').notNullable();
      table.string('url', 500).notNullable();
      table.string('username', 190).notNullable();
      table.string('company_id', 64).notNullable();
      longText(table, 'secret');
      time(table, 'checked_at');
      table.string('check_error', 500);
    }),
  down: (knex) => dropTables(knex, 'backup_providers'),
};
