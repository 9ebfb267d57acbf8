import type { Migration } from './columns.ts';

const INDEX = 'installed_versions_slug';

/**
 * Drops an index to which every sync wrote one entry for each changed plugin and theme. Writing it took a sixth of the
 * time of the first sync of a large fleet. Only the refresh of the vulnerability feeds used the index, and it can scan
 * the rows instead.
 */
export const findSoftwareWithoutIndex: Migration = {
  name: '20261123T0840_find_software_without_index',
  up: (knex) => knex.schema.alterTable('installed_versions', (table) => void table.dropIndex([], INDEX)),
  down: (knex) =>
    knex.schema.alterTable('installed_versions', (table) => void table.index(['type', 'slug', 'site_id'], INDEX)),
};
