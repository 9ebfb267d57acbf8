import { createTable, dropTables, time, urlKey, type Migration } from './columns.ts';

/**
 * Creates the table of version pins. From now on, `site_updates.ignored` can be 2: the update is outside of a pin.
 * Reverting the migration lists these updates again.
 */
export const createVersionPins: Migration = {
  name: '20261128T0620_create_version_pins',
  up: async (knex) => {
    await createTable(knex, 'version_pins', (table) => {
      table.increments('id');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      table.string('note', 500).notNullable();
      urlKey(knex, table, 'site_key').notNullable();
      // `off` if the site has confirmed that automatic updates of the item are off, otherwise `pending`.
      table.string('auto_update', 16).notNullable();
      table.string('error_code', 64);
      table.string('error_message', 500);
      time(table, 'tried_at').notNullable();
      time(table, 'created_at').notNullable();
      table.string('created_by', 255).notNullable();
      time(table, 'updated_at').notNullable();
      table.unique(['site_id', 'type', 'slug'], { indexName: 'version_pins_item' });
      table.index(['site_key', 'type', 'slug'], 'version_pins_order');
      table.index(['type', 'slug', 'site_key'], 'version_pins_slug_order');
      table.index(['auto_update', 'site_id'], 'version_pins_auto_update');
    });
  },
  down: async (knex) => {
    await knex('site_updates').where({ ignored: 2 }).update({ ignored: 0 });
    for (const type of ['plugin', 'theme']) {
      const listed = knex('site_updates').where({ type, ignored: 0 }).whereRaw('site_id = site_states.site_id');
      await knex('site_states').update({ [`${type}_updates`]: listed.count() });
    }
    await dropTables(knex, 'version_pins');
  },
};
