import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createTimeTracker: Migration = {
  name: '20261122T1230_create_time_tracker',
  async up(knex) {
    await createTable(knex, 'time_buckets', (table) => {
      table.increments('id');
      table.string('title', 255).notNullable();
      table.string('title_key', 255).notNullable();
      longText(table, 'description').notNullable();
      table.integer('seconds').unsigned().notNullable();
      // In units of 10^-8 of the currency; null uses the price in the settings.
      table.bigInteger('hourly_units');
      table.string('currency', 3).notNullable();
      table.string('recurrence', 16).notNullable();
      table.string('anchor_day', 10).notNullable();
      flag(table, 'carry_over').notNullable();
      // Time in seconds that was carried over to the period of `carried_day`. Later carry-overs are computed from it.
      table.bigInteger('carried_seconds').notNullable();
      table.string('carried_day', 10).notNullable();
      flag(table, 'archived').notNullable();
      table.integer('revision').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['title_key', 'id'], 'time_buckets_title');
    });
    await createTable(knex, 'time_bucket_clients', (table) => {
      table.integer('bucket_id').unsigned().notNullable().references('time_buckets.id').onDelete('CASCADE');
      table.integer('client_id').unsigned().notNullable().references('clients.id').onDelete('CASCADE');
      table.primary(['bucket_id', 'client_id']);
      table.index(['client_id'], 'time_bucket_clients_client');
    });
    await createTable(knex, 'time_client_settings', (table) => {
      table.integer('client_id').unsigned().notNullable().primary().references('clients.id').onDelete('CASCADE');
      flag(table, 'overrides').notNullable();
      longText(table, 'own').notNullable();
      table.integer('default_bucket_id').unsigned().references('time_buckets.id').onDelete('SET NULL');
      table.integer('revision').notNullable();
    });
    await createTable(knex, 'time_tasks', (table) => {
      table.increments('id');
      table.string('title', 255).notNullable();
      table.string('title_key', 255).notNullable();
      longText(table, 'description').notNullable();
      // The client and the site may be deleted. The task stays, and keeps their name and URL.
      table.integer('client_id').unsigned().references('clients.id').onDelete('SET NULL');
      table.string('client_name', 255).notNullable();
      table.integer('site_id').unsigned().references('sites.id').onDelete('SET NULL');
      table.string('site_url', 512).notNullable();
      table.integer('bucket_id').unsigned().references('time_buckets.id').onDelete('RESTRICT');
      table.string('status', 16).notNullable();
      table.string('payment_status', 16).notNullable();
      table.string('timer_mode', 16).notNullable();
      flag(table, 'billable').notNullable();
      // In units of 10^-8 of the currency; null uses the price of the bucket or of the settings.
      table.bigInteger('hourly_units');
      table.string('task_date', 10).notNullable();
      table.bigInteger('recorded_seconds').notNullable();
      time(table, 'running_since');
      // Unique, because a user can run one timer at a time.
      table.integer('run_by').unsigned().unique({ indexName: 'time_tasks_run_by' });
      table.foreign('run_by').references('users.id').onDelete('SET NULL');
      time(table, 'latest_at').notNullable();
      time(table, 'started_at');
      time(table, 'paused_at');
      time(table, 'stopped_at');
      table.string('operator', 60).notNullable();
      // Values with which the task was settled when it was stopped. The total is in minor units of the currency.
      table.bigInteger('billed_seconds');
      table.bigInteger('billed_hourly_units');
      table.string('billed_source', 16);
      table.string('billed_currency', 3);
      table.bigInteger('total_minor');
      table.integer('total_decimals');
      table.bigInteger('debit_seconds');
      table.string('debit_day', 10);
      table.integer('revision').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['task_date', 'id'], 'time_tasks_date');
      table.index(['created_at', 'id'], 'time_tasks_created');
      table.index(['title_key', 'id'], 'time_tasks_title');
      table.index(['client_id', 'task_date', 'id'], 'time_tasks_client');
      table.index(['site_id', 'task_date', 'id'], 'time_tasks_site');
      // The query that sums the time taken from a bucket reads this index and no table rows.
      table.index(['bucket_id', 'debit_day', 'client_id', 'debit_seconds'], 'time_tasks_bucket');
      table.index(['status', 'task_date', 'id'], 'time_tasks_status');
      table.index(['payment_status', 'task_date', 'id'], 'time_tasks_payment');
    });
    await createTable(knex, 'time_entries', (table) => {
      table.increments('id');
      table.integer('task_id').unsigned().notNullable().references('time_tasks.id').onDelete('CASCADE');
      table.string('kind', 16).notNullable();
      time(table, 'started_at').notNullable();
      time(table, 'ended_at');
      table.bigInteger('seconds').notNullable();
      table.string('operator', 60).notNullable();
      table.index(['task_id', 'id'], 'time_entries_task');
    });
    // One row per user, which is locked while a timer of that user is started.
    await createTable(knex, 'time_operators', (table) => {
      table.integer('user_id').unsigned().notNullable().primary().references('users.id').onDelete('CASCADE');
    });
  },
  down: (knex) =>
    dropTables(
      knex,
      ...['time_operators', 'time_entries', 'time_tasks'],
      ...['time_client_settings', 'time_bucket_clients', 'time_buckets'],
    ),
};
