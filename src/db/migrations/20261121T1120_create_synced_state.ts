import { createTable, dropTables, flag, time, urlKey, type Migration } from './columns.ts';

/** Tables that are listed across all sites have the site's `url_key` as `site_key`, so that one index can sort them. */
export const createSyncedState: Migration = {
  name: '20261121T1120_create_synced_state',
  async up(knex) {
    await createTable(knex, 'site_plugins', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      flag(table, 'active').notNullable();
      flag(table, 'must_use').notNullable();
      flag(table, 'is_child').notNullable();
      table.primary(['site_id', 'slug']);
    });
    await createTable(knex, 'site_themes', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      flag(table, 'active').notNullable();
      flag(table, 'parent_of_active').notNullable();
      table.primary(['site_id', 'slug']);
    });
    await createTable(knex, 'site_updates', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('current_version', 64).notNullable();
      table.string('new_version', 64).notNullable();
      urlKey(knex, table, 'site_key').notNullable();
      flag(table, 'ignored').notNullable().defaultTo(0);
      table.primary(['site_id', 'type', 'slug']);
      table.index(['ignored', 'site_key', 'type', 'slug'], 'site_updates_order');
      table.index(['ignored', 'type', 'site_key', 'slug'], 'site_updates_type_order');
      table.index(['type', 'slug'], 'site_updates_item');
    });
    await createTable(knex, 'site_abandoned', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('kind', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      time(table, 'last_updated_at').notNullable();
      urlKey(knex, table, 'site_key').notNullable();
      table.primary(['site_id', 'kind', 'slug']);
      table.index(['kind', 'site_key', 'slug', 'last_updated_at'], 'site_abandoned_order');
    });
    await createTable(knex, 'site_security', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('flag', 32).notNullable();
      table.string('value', 16).notNullable();
      table.primary(['site_id', 'flag']);
    });
    await createTable(knex, 'changes', (table) => {
      table.bigIncrements('id');
      table.integer('site_id').unsigned().references('sites.id').onDelete('CASCADE');
      // `dashboard` for changes by this service; `child_actions` and `child_changes` for the child's two logs.
      table.string('source', 16).notNullable();
      table.string('external_id', 64);
      table.string('type', 96).notNullable();
      table.string('description', 500).notNullable();
      table.string('actor', 255).notNullable();
      time(table, 'at').notNullable();
      table.unique(['site_id', 'source', 'external_id'], { indexName: 'changes_external' });
      table.index(['site_id', 'at', 'id'], 'changes_order');
      table.index(['site_id', 'type', 'at'], 'changes_type_order');
    });
  },
  down: (knex) =>
    dropTables(knex, 'changes', 'site_security', 'site_abandoned', 'site_updates', 'site_themes', 'site_plugins'),
};
