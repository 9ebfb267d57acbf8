import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

/**
 * Adds roles that operators define. `users.role_id` is null for users with a built-in role, whose name is in
 * `users.role`.
 */
export const createRoles: Migration = {
  name: '20261128T0050_create_roles',
  up: async (knex) => {
    await createTable(knex, 'roles', (table) => {
      table.increments('id');
      table.string('name', 40).notNullable().unique({ indexName: 'roles_name' });
      table.string('description', 200).notNullable();
      longText(table, 'permissions').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
    });
    await knex.schema.alterTable('users', (table) => {
      table.integer('role_id').unsigned();
      table.index(['role_id'], 'users_role_id');
    });
  },
  down: async (knex) => {
    await knex.schema.alterTable('users', (table) => table.dropIndex(['role_id'], 'users_role_id'));
    await knex.raw('alter table ?? drop column ??', ['users', 'role_id']);
    await dropTables(knex, 'roles');
  },
};
