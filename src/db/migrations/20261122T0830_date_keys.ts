import { time, type Migration } from './columns.ts';

/** Adds the time at which the key for calls to a site was created; null for keys from before this migration. */
export const dateKeys: Migration = {
  name: '20261122T0830_date_keys',
  up: (knex) => knex.schema.alterTable('site_secrets', (table) => void time(table, 'key_at')),
  down: (knex) => knex.raw('alter table ?? drop column ??', ['site_secrets', 'key_at']),
};
