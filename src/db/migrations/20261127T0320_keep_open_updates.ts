import { createTable, dropTables, time, type Migration } from './columns.ts';

/** Creates the table of updates that were sent to a site and that no report of the site has confirmed yet. */
export const keepOpenUpdates: Migration = {
  name: '20261127T0320_keep_open_updates',
  up: (knex) =>
    createTable(knex, 'open_updates', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('current_version', 64).notNullable();
      table.string('new_version', 64).notNullable();
      // User name of the caller who started the run.
      table.string('actor', 255).notNullable();
      // Position of the change log before the run that sent the update.
      table.bigInteger('log_position').notNullable();
      // Readings of the site from before the run, as JSON.
      table.text('watched');
      // 1 if the change log has the update, and a run has not looked yet whether it has broken the site.
      table.tinyint('logged').notNullable().defaultTo(0);
      time(table, 'sent_at').notNullable();
      table.primary(['site_id', 'type', 'slug']);
    }),
  down: (knex) => dropTables(knex, 'open_updates'),
};
