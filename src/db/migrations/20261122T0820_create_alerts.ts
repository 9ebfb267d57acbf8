import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createAlerts: Migration = {
  name: '20261122T0820_create_alerts',
  up: (knex) =>
    createTable(knex, 'alerts', (table) => {
      table.bigIncrements('id');
      table.string('type', 40).notNullable();
      table.string('alert_key', 190).notNullable().unique();
      table.bigInteger('site_id');
      longText(table, 'site').notNullable();
      longText(table, 'facts').notNullable();
      time(table, 'raised_at').notNullable();
      table.bigInteger('mail_id').index();
    }),
  down: (knex) => dropTables(knex, 'alerts'),
};
