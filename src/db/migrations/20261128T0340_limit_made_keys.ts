import type { Migration } from './columns.ts';

/**
 * Stores the ID of the limited key that made a key. Its limits count for the key that it made. The column is no foreign
 * key: if the maker is deleted, the ID remains, and the key then reaches no site.
 */
export const limitMadeKeys: Migration = {
  name: '20261128T0340_limit_made_keys',
  up: (knex) =>
    knex.schema.alterTable('api_keys', (table) => {
      table.integer('limited_by_key_id').unsigned();
      table.index(['limited_by_key_id'], 'api_keys_limited_by');
    }),
  down: async (knex) => {
    await knex.schema.alterTable('api_keys', (table) => {
      table.dropIndex(['limited_by_key_id'], 'api_keys_limited_by');
    });
    await knex.raw('alter table ?? drop column ??', ['api_keys', 'limited_by_key_id']);
  },
};
