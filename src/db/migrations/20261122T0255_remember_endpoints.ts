import type { Migration } from './columns.ts';

export const rememberEndpoints: Migration = {
  name: '20261122T0255_remember_endpoints',
  async up(knex) {
    await knex.schema.alterTable('site_secrets', (table) => {
      table.string('endpoint', 8);
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['site_secrets', 'endpoint']);
  },
};
