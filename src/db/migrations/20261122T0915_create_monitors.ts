import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createMonitors: Migration = {
  name: '20261122T0915_create_monitors',
  async up(knex) {
    // One row per site. A site without a row was never checked, and uses the settings of the fleet.
    await createTable(knex, 'monitors', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('state', 8).notNullable();
      time(table, 'next_check_at').notNullable();
      // Lease of the process that checks the site. Results of a check that lost its lease are ignored.
      time(table, 'lease_until');
      time(table, 'last_check_at');
      longText(table, 'last_beat');
      table.bigInteger('incident_id');
      flag(table, 'active');
      table.string('type', 8);
      table.string('method', 8);
      table.integer('interval_minutes');
      table.integer('timeout_seconds');
      flag(table, 'confirmation');
      table.string('accepted_statuses', 512);
      table.string('keyword', 200);
      table.index(['next_check_at', 'site_id'], 'monitors_due');
    });
    // Number of checks of a day: in total, and per hour in packed form.
    await createTable(knex, 'monitor_days', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.integer('day').notNullable();
      table.integer('up').notNullable();
      table.integer('down').notNullable();
      table.string('hours', 1500).notNullable();
      table.primary(['site_id', 'day']);
      table.index(['day'], 'monitor_days_day');
    });
    await createTable(knex, 'heartbeat_days', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.integer('day').notNullable();
      longText(table, 'beats').notNullable();
      table.primary(['site_id', 'day']);
      table.index(['day'], 'heartbeat_days_day');
    });
    await createTable(knex, 'incidents', (table) => {
      table.bigIncrements('id');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      time(table, 'started_at').notNullable();
      time(table, 'ended_at');
      table.integer('down_count').notNullable();
      table.string('cause', 500).notNullable();
      longText(table, 'beat').notNullable();
      table.index(['site_id', 'started_at'], 'incidents_order');
      table.index(['ended_at'], 'incidents_ended');
    });
  },
  down: (knex) => dropTables(knex, 'incidents', 'heartbeat_days', 'monitor_days', 'monitors'),
};
