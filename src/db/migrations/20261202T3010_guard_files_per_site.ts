import type { Migration } from './columns.ts';

/** Allows a guard file on several sites, because a copy of a site reports the guard files of its original. */
export const guardFilesPerSite: Migration = {
  name: '20261202T3010_guard_files_per_site',
  up: (knex) =>
    knex.schema.alterTable('guard_files', (table) => {
      table.dropUnique(['guard_id']);
      table.unique(['guard_id', 'site_id']);
    }),
  down: async (knex) => {
    // The next sync of their sites finds these files again.
    await knex('guard_files').where({ state: 'found' }).delete();
    await knex.schema.alterTable('guard_files', (table) => {
      table.dropUnique(['guard_id', 'site_id']);
      table.unique(['guard_id']);
    });
  },
};
