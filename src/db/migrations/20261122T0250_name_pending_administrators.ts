import type { Migration } from './columns.ts';

/** A key may be under registration for another administrator than the one that a site is connected with. */
export const namePendingAdministrators: Migration = {
  name: '20261122T0250_name_pending_administrators',
  up: (knex) => knex.schema.alterTable('site_secrets', (table) => void table.string('pending_admin', 255)),
  down: (knex) => knex.raw('alter table ?? drop column ??', ['site_secrets', 'pending_admin']),
};
