import type { Migration } from './columns.ts';

/** Adds the endpoint at which a site responds, if it is not the usual one. */
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
