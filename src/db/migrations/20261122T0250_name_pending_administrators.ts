import type { Migration } from './columns.ts';

/**
 * Adds the administrator for whom a new key is being registered. It may differ from the administrator of the current
 * connection.
 */
export const namePendingAdministrators: Migration = {
  name: '20261122T0250_name_pending_administrators',
  up: (knex) => knex.schema.alterTable('site_secrets', (table) => void table.string('pending_admin', 255)),
  down: (knex) => knex.raw('alter table ?? drop column ??', ['site_secrets', 'pending_admin']),
};
