import { createTable, dropTables, flag, time, type Migration } from './columns.ts';

/**
 * Adds the temporary URLs from which sites download packages, and whether each site can download from this service. A
 * delivery without a package only tests whether the site can download.
 */
export const createPackageDeliveries: Migration = {
  name: '20261128T0720_create_package_deliveries',
  up: async (knex) => {
    await createTable(knex, 'package_deliveries', (table) => {
      table.increments('id');
      table.string('token_hash', 64).notNullable().unique();
      table.integer('package_id').unsigned().references('packages.id').onDelete('CASCADE');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.integer('fetches').unsigned().notNullable().defaultTo(0);
      time(table, 'created_at').notNullable();
      time(table, 'expires_at').notNullable().index();
      table.index(['package_id']);
      table.index(['site_id']);
    });
    await createTable(knex, 'package_reach', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      flag(table, 'can_fetch').notNullable();
      time(table, 'checked_at').notNullable();
    });
  },
  down: (knex) => dropTables(knex, 'package_reach', 'package_deliveries'),
};
