import { createTable, dropTables, longText, time, urlKey, type Migration } from './columns.ts';

export const createIgnoredUpdates: Migration = {
  name: '20261121T1230_create_ignored_updates',
  async up(knex) {
    await createTable(knex, 'ignored_updates', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      urlKey(knex, table, 'site_key').notNullable();
      time(table, 'created_at').notNullable();
      table.primary(['site_id', 'type', 'slug']);
      table.index(['site_key', 'type', 'slug'], 'ignored_updates_order');
    });
    // One row per update job item that has begun. Later attempts of the item compare the site with `planned` or return
    // the stored `outcome`.
    await createTable(knex, 'update_runs', (table) => {
      table.bigInteger('item_id').unsigned().primary().references('job_items.id').onDelete('CASCADE');
      longText(table, 'planned').notNullable();
      longText(table, 'outcome');
    });
  },
  down: (knex) => dropTables(knex, 'update_runs', 'ignored_updates'),
};
