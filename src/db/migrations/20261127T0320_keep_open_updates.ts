import { createTable, dropTables, time, type Migration } from './columns.ts';

/** Creates the table of updates that were sent to a site and whose outcome is still unknown. */
export const keepOpenUpdates: Migration = {
  name: '20261127T0320_keep_open_updates',
  up: (knex) =>
    createTable(knex, 'open_updates', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 16).notNullable();
      table.string('slug', 255).notNullable();
      table.string('new_version', 64).notNullable();
      // Position of the change log before the run that sent the update.
      table.bigInteger('log_position').notNullable();
      time(table, 'sent_at').notNullable();
      table.primary(['site_id', 'type', 'slug']);
    }),
  down: (knex) => dropTables(knex, 'open_updates'),
};
