import { createTable, dropTables, flag, time, type Migration } from './columns.ts';

export const createAccess: Migration = {
  name: '20261121T1100_create_access',
  async up(knex) {
    await createTable(knex, 'users', (table) => {
      table.increments('id');
      table.string('name', 60).notNullable();
      table.string('name_key', 60).notNullable().unique({ indexName: 'users_name' });
      table.string('role', 16).notNullable();
      flag(table, 'enabled').notNullable();
      time(table, 'created_at').notNullable();
    });
    await createTable(knex, 'application_passwords', (table) => {
      table.increments('id');
      table.integer('user_id').unsigned().notNullable().references('users.id').onDelete('CASCADE');
      table.string('label', 100).notNullable();
      table.string('hash', 64).notNullable().unique({ indexName: 'application_passwords_hash' });
      time(table, 'created_at').notNullable();
      time(table, 'last_used_at');
    });
    await createTable(knex, 'api_keys', (table) => {
      table.increments('id');
      table.integer('user_id').unsigned().notNullable().references('users.id').onDelete('CASCADE');
      table.string('label', 100).notNullable();
      table.string('hash', 64).notNullable().unique({ indexName: 'api_keys_hash' });
      table.string('hint', 8).notNullable();
      table.string('scope', 16).notNullable();
      flag(table, 'enabled').notNullable();
      time(table, 'expires_at');
      time(table, 'created_at').notNullable();
      time(table, 'last_used_at');
    });
  },
  down: (knex) => dropTables(knex, 'api_keys', 'application_passwords', 'users'),
};
