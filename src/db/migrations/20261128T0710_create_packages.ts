import { createTable, dropTables, time, type Migration } from './columns.ts';

/** The zips are files in a folder, named by their SHA-256. */
export const createPackages: Migration = {
  name: '20261128T0710_create_packages',
  up: (knex) =>
    createTable(knex, 'packages', (table) => {
      table.increments('id');
      table.string('kind', 8).notNullable();
      table.string('slug', 200).notNullable();
      table.string('version', 64).notNullable();
      table.string('name', 255).notNullable();
      table.string('main_file', 255).notNullable();
      table.string('sha256', 64).notNullable();
      table.string('source', 16).notNullable();
      table.string('address', 2048).notNullable();
      table.string('source_sha256', 64).notNullable();
      table.string('verified_by', 16);
      table.integer('size').unsigned().notNullable();
      table.integer('unpacked_size').unsigned().notNullable();
      table.integer('file_count').unsigned().notNullable();
      table.string('requires_wordpress', 32);
      table.string('requires_php', 32);
      time(table, 'created_at').notNullable();
      time(table, 'last_used_at').notNullable();
      table.unique(['slug', 'kind', 'version']);
      table.index(['source', 'last_used_at', 'id']);
    }),
  down: (knex) => dropTables(knex, 'packages'),
};
