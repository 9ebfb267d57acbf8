import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

/**
 * Stores which packages a job item sends to a site. A process that continues the item checks first if the site has
 * already installed them.
 */
export const createPackageInstalls: Migration = {
  name: '20261128T0730_create_package_installs',
  up: (knex) =>
    createTable(knex, 'package_installs', (table) => {
      table.bigInteger('item_id').unsigned().primary().references('job_items.id').onDelete('CASCADE');
      longText(table, 'plan').notNullable();
      time(table, 'unclear_since');
    }),
  down: (knex) => dropTables(knex, 'package_installs'),
};
