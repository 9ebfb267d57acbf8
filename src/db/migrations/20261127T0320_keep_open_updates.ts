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
      table.string('actor', 255).notNullable();
      // Last position in the change log before the run that sent the update.
      table.bigInteger('log_position').notNullable();
      // Health of the site before the run (`WatchStart`), as JSON.
      table.text('watched');
      // 1 if the change log contains the update, but no run has checked yet if the update has broken the site.
      table.tinyint('logged').notNullable().defaultTo(0);
      time(table, 'sent_at').notNullable();
      table.primary(['site_id', 'type', 'slug']);
    }),
  down: (knex) => dropTables(knex, 'open_updates'),
};
