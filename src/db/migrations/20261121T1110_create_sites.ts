import { createTable, dropTables, flag, longText, time, urlKey, type Migration } from './columns.ts';

export const createSites: Migration = {
  name: '20261121T1110_create_sites',
  async up(knex) {
    await createTable(knex, 'clients', (table) => {
      table.increments('id');
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable();
      table.string('email', 255).notNullable().defaultTo('');
      table.string('email_key', 255).unique({ indexName: 'clients_email' });
      table.string('phone', 64).notNullable().defaultTo('');
      table.string('address_1', 255).notNullable().defaultTo('');
      table.string('address_2', 255).notNullable().defaultTo('');
      table.string('city', 128).notNullable().defaultTo('');
      table.string('state', 128).notNullable().defaultTo('');
      table.string('zip', 32).notNullable().defaultTo('');
      table.string('country', 128).notNullable().defaultTo('');
      longText(table, 'note').notNullable();
      table.string('status', 16).notNullable();
      table.integer('revision').notNullable().defaultTo(1);
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['name_key', 'id'], 'clients_order');
      table.index(['status', 'name_key', 'id'], 'clients_status_order');
    });
    await createTable(knex, 'tags', (table) => {
      table.increments('id');
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable().unique({ indexName: 'tags_name' });
      table.string('color', 7);
      table.integer('revision').notNullable().defaultTo(1);
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
    });
    // The table has few columns, because every list reads it. Data that is shown only for single sites is in
    // `site_states`.
    await createTable(knex, 'sites', (table) => {
      table.increments('id');
      table.string('url', 512).notNullable();
      urlKey(knex, table, 'url_key').notNullable().unique({ indexName: 'sites_url_key' });
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable();
      table.string('status', 16).notNullable();
      table.integer('client_id').unsigned().references('clients.id').onDelete('SET NULL');
      table.integer('revision').notNullable().defaultTo(1);
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['status', 'url_key'], 'sites_status_order');
      table.index(['client_id', 'url_key'], 'sites_client_order');
      table.index(['url_key', 'name_key', 'status', 'client_id'], 'sites_search');
    });
    await createTable(knex, 'site_states', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      longText(table, 'notes').notNullable();
      table.string('admin_username', 255).notNullable();
      table.string('wp_version', 64);
      table.string('php_version', 64);
      table.string('child_version', 64);
      time(table, 'last_sync_at');
      table.string('sync_error_code', 64);
      table.string('sync_error_message', 500);
      time(table, 'sync_error_at');
      table.integer('core_updates').notNullable().defaultTo(0);
      table.integer('plugin_updates').notNullable().defaultTo(0);
      table.integer('theme_updates').notNullable().defaultTo(0);
      table.integer('translation_updates').notNullable().defaultTo(0);
      table.integer('health_good');
      table.integer('health_recommended');
      table.integer('health_critical');
      flag(table, 'ssl_valid');
      time(table, 'ssl_expires_at');
      time(table, 'ssl_checked_at');
      // One hash per synced section. A section with an equal hash is not written.
      longText(table, 'section_hashes').notNullable();
      table.double('actions_cursor').notNullable().defaultTo(0);
      time(table, 'changes_cursor').notNullable().defaultTo(0);
    });
    // Encrypted secrets and other data for calls to the site. Only the code that calls sites reads this table, never a
    // list.
    await createTable(knex, 'site_secrets', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('server', 255).notNullable();
      table.string('key_id', 64);
      longText(table, 'private_key');
      table.string('pending_key_id', 64);
      longText(table, 'pending_private_key');
      time(table, 'pending_at');
      longText(table, 'regverify');
      longText(table, 'unique_id');
      longText(table, 'http_user');
      longText(table, 'http_pass');
      flag(table, 'ssl_verify');
    });
    await createTable(knex, 'site_tags', (table) => {
      table.integer('tag_id').unsigned().notNullable().references('tags.id').onDelete('CASCADE');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      urlKey(knex, table, 'site_key').notNullable();
      table.primary(['tag_id', 'site_id']);
      table.index(['site_id'], 'site_tags_site');
      table.index(['tag_id', 'site_key', 'site_id'], 'site_tags_order');
    });
  },
  down: (knex) => dropTables(knex, 'site_tags', 'site_secrets', 'site_states', 'sites', 'tags', 'clients'),
};
