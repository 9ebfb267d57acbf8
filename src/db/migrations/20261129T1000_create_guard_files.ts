import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

/**
 * Adds the guard files on sites (`guard_files`), the guard file that could not be removed from a site (`guard_left`),
 * and texts that sites download (`content`). A row of `guard_files` is deleted when the site has shown that its file is
 * gone. `item_id` is the job item whose update the file guards.
 */
export const createGuardFiles: Migration = {
  name: '20261129T1000_create_guard_files',
  async up(knex) {
    await createTable(knex, 'guard_files', (table) => {
      table.increments('id');
      table.string('guard_id', 32).notNullable().unique();
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.bigInteger('item_id').unsigned().references('job_items.id').onDelete('SET NULL');
      table.string('kind', 8).notNullable();
      table.string('folder', 128).notNullable();
      table.string('name', 255).notNullable();
      table.string('actor', 255).notNullable();
      table.string('state', 16).notNullable();
      longText(table, 'private_key');
      longText(table, 'restored');
      table.bigInteger('sequence').notNullable().defaultTo(0);
      table.integer('attempts').unsigned().notNullable().defaultTo(0);
      time(table, 'next_attempt_at').notNullable().index();
      time(table, 'left_since');
      time(table, 'created_at').notNullable();
      table.index(['site_id']);
      table.index(['item_id']);
    });
    await knex.schema.alterTable('site_states', (table) => {
      longText(table, 'guard_left');
    });
    await knex.schema.alterTable('package_deliveries', (table) => {
      longText(table, 'content');
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['package_deliveries', 'content']);
    await knex.raw('alter table ?? drop column ??', ['site_states', 'guard_left']);
    await dropTables(knex, 'guard_files');
  },
};
