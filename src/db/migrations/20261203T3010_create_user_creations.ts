import { createTable, dropTables, type Migration } from './columns.ts';

/**
 * Stores which job item last sent the creation of a user to a site. Only such an item can have created a user that an
 * interrupted attempt finds.
 */
export const createUserCreations: Migration = {
  name: '20261203T3010_create_user_creations',
  up: (knex) =>
    createTable(knex, 'user_creations', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('username', 60).notNullable();
      table.bigInteger('item_id').unsigned().notNullable().references('job_items.id').onDelete('CASCADE');
      table.bigInteger('log_position').unsigned().notNullable();
      table.primary(['site_id', 'username']);
      table.index('item_id');
    }),
  down: (knex) => dropTables(knex, 'user_creations'),
};
