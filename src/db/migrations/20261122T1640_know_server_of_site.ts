import type { Migration } from './columns.ts';

export const knowServerOfSite: Migration = {
  name: '20261122T1640_know_server_of_site',
  up: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.string('ip', 45);
      table.string('db_version', 64);
    }),
  down: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.dropColumns('ip', 'db_version');
    }),
};
