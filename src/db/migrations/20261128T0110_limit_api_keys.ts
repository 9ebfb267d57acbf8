import { longText, time, type Migration } from './columns.ts';

const COLUMNS = ['allowed_addresses', 'rate_limit', 'previous_hash', 'previous_expires_at'] as const;

export const limitApiKeys: Migration = {
  name: '20261128T0110_limit_api_keys',
  up: (knex) =>
    knex.schema.alterTable('api_keys', (table) => {
      // JSON list of networks from which the key may be used. Null if all addresses are allowed.
      longText(table, 'allowed_addresses');
      table.integer('rate_limit');
      table.string('previous_hash', 64);
      time(table, 'previous_expires_at');
      table.unique(['previous_hash'], { indexName: 'api_keys_previous_hash' });
    }),
  async down(knex) {
    await knex.schema.alterTable('api_keys', (table) => void table.dropUnique([], 'api_keys_previous_hash'));
    for (const column of COLUMNS) await knex.raw('alter table ?? drop column ??', ['api_keys', column]);
  },
};
