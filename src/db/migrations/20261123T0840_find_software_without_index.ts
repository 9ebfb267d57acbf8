import type { Migration } from './columns.ts';

const INDEX = 'installed_versions_slug';

/**
 * Every sync that brings something had to write this index in as many places as the site has plugins and themes, which
 * was a sixth of the first sync of a large fleet. Feeds, which were all that looked there, look through the rows now.
 */
export const findSoftwareWithoutIndex: Migration = {
  name: '20261123T0840_find_software_without_index',
  up: (knex) => knex.schema.alterTable('installed_versions', (table) => void table.dropIndex([], INDEX)),
  down: (knex) =>
    knex.schema.alterTable('installed_versions', (table) => void table.index(['type', 'slug', 'site_id'], INDEX)),
};
