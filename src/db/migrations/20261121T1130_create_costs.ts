import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createCosts: Migration = {
  name: '20261121T1130_create_costs',
  async up(knex) {
    await createTable(knex, 'costs', (table) => {
      table.increments('id');
      table.string('name', 255).notNullable();
      table.string('url', 2048).notNullable().defaultTo('');
      table.string('type', 16).notNullable();
      table.string('product_type', 64).notNullable();
      table.string('slug', 255).notNullable().defaultTo('');
      table.string('license_type', 16).notNullable();
      table.string('status', 32).notNullable();
      table.string('payment_method', 64).notNullable();
      // In minor units of the currency (cents), so that sums are exact.
      table.bigInteger('price_minor').notNullable();
      table.string('renewal_type', 16).notNullable();
      table.string('last_renewal', 10);
      table.string('next_renewal', 10);
      longText(table, 'note').notNullable();
      table.integer('revision').notNullable().defaultTo(1);
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['status', 'id'], 'costs_status');
    });
    // A cost belongs to sites, to clients or to tags. Clients and tags stand for all of their sites.
    await createTable(knex, 'cost_targets', (table) => {
      table.integer('cost_id').unsigned().notNullable().references('costs.id').onDelete('CASCADE');
      table.string('kind', 8).notNullable();
      table.integer('target_id').unsigned().notNullable();
      table.primary(['cost_id', 'kind', 'target_id']);
      table.index(['kind', 'target_id'], 'cost_targets_target');
    });
  },
  down: (knex) => dropTables(knex, 'cost_targets', 'costs'),
};
