import type { Migration } from './columns.ts';

/**
 * Adds the size of the version step of each update: 0 none, 1 patch, 2 minor, 3 major. Until the next sync of a site,
 * its updates count as major, which are held back the longest.
 */
export const holdNewReleases: Migration = {
  name: '20261129T5000_hold_new_releases',
  up: async (knex) => {
    await knex.schema.alterTable('site_updates', (table) => {
      table.tinyint('step').notNullable().defaultTo(3);
    });
  },
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['site_updates', 'step']);
  },
};
