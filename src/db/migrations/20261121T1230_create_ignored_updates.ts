import { createTable, dropTables, longText, time, urlKey, type Migration } from './columns.ts';

/** Updates that a site shall not show, and what a run of updates set out to do and came to. */
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
    // One row for each item of an update job that was begun: what a further attempt has to prove, or may take over.
    await createTable(knex, 'update_runs', (table) => {
      table.bigInteger('item_id').unsigned().primary().references('job_items.id').onDelete('CASCADE');
      longText(table, 'planned').notNullable();
      longText(table, 'outcome');
    });
  },
  down: (knex) => dropTables(knex, 'update_runs', 'ignored_updates'),
};
