import type { Migration } from './columns.ts';

const INDEX = 'installed_versions_slug';

/**
 * Drops an index that every sync had to write once for each changed plugin and theme, which was a sixth of the first
 * sync of a large fleet. Only feeds used it, and they can scan the rows.
 */
export const findSoftwareWithoutIndex: Migration = {
  name: '20261123T0840_find_software_without_index',
  up: (knex) => knex.schema.alterTable('installed_versions', (table) => void table.dropIndex([], INDEX)),
  down: (knex) =>
    knex.schema.alterTable('installed_versions', (table) => void table.index(['type', 'slug', 'site_id'], INDEX)),
};
