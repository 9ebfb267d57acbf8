import { createTable, dropTables, flag, type Migration } from './columns.ts';

const OWNERS = ['users', 'api_keys'];

/**
 * Adds limits of users and API keys to some sites. Each row has one owner (user or key) and one client, tag or site. If
 * the client, tag or site is deleted, its rows are deleted too. `limited` then stays true, so that an owner who has
 * lost all rows can access no site.
 */
export const limitCredentials: Migration = {
  name: '20261128T0130_limit_credentials',
  up: async (knex) => {
    await createTable(knex, 'site_limits', (table) => {
      table.increments('id');
      table.integer('user_id').unsigned().references('users.id').onDelete('CASCADE');
      table.integer('key_id').unsigned().references('api_keys.id').onDelete('CASCADE');
      table.integer('client_id').unsigned().references('clients.id').onDelete('CASCADE');
      table.integer('tag_id').unsigned().references('tags.id').onDelete('CASCADE');
      table.integer('site_id').unsigned().references('sites.id').onDelete('CASCADE');
      table.index(['user_id'], 'site_limits_user');
      table.index(['key_id'], 'site_limits_key');
    });
    for (const owner of OWNERS)
      await knex.schema.alterTable(owner, (table) => {
        flag(table, 'limited').notNullable().defaultTo(0);
      });
  },
  down: async (knex) => {
    for (const owner of OWNERS) await knex.raw('alter table ?? drop column ??', [owner, 'limited']);
    await dropTables(knex, 'site_limits');
  },
};
