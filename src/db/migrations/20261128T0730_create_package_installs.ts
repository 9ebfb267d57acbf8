import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

/** Stores the packages that job items send, so that a process that continues an item looks at the site first. */
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
