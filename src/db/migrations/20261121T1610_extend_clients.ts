import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

const PROFILES = ['facebook', 'twitter', 'instagram', 'linkedin'] as const;

export const extendClients: Migration = {
  name: '20261121T1610_extend_clients',
  async up(knex) {
    await knex.schema.alterTable('clients', (table) => {
      for (const profile of PROFILES) table.string(profile, 512).notNullable().defaultTo('');
    });
    await createTable(knex, 'client_fields', (table) => {
      table.increments('id');
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable().unique('client_fields_name');
      table.string('description', 1000).notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
    });
    await createTable(knex, 'client_field_values', (table) => {
      table.integer('client_id').unsigned().notNullable().references('clients.id').onDelete('CASCADE');
      table.integer('field_id').unsigned().notNullable().references('client_fields.id').onDelete('CASCADE');
      longText(table, 'value').notNullable();
      table.primary(['client_id', 'field_id']);
      table.index(['field_id'], 'client_field_values_field');
    });
  },
  async down(knex) {
    await dropTables(knex, 'client_field_values', 'client_fields');
    for (const profile of PROFILES) await knex.raw('alter table ?? drop column ??', ['clients', profile]);
  },
};
