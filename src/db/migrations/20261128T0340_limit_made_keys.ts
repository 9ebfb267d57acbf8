import type { Migration } from './columns.ts';

/**
 * A key that a limited key made keeps its maker, whose limits count for it too. It is no foreign key: a key whose maker
 * was deleted must not lose that limit.
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
