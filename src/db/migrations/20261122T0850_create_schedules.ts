import { createTable, time, type Migration } from './columns.ts';

/** The jobs of a schedule are found by the column `requested_by` of `jobs`. */
export const createSchedules: Migration = {
  name: '20261122T0850_create_schedules',
  async up(knex) {
    await createTable(knex, 'schedules', (table) => {
      table.string('name', 64).primary();
      table.string('fingerprint', 200);
      time(table, 'next_run_at');
      time(table, 'last_run_at');
      table.string('last_job_id', 64);
      time(table, 'last_skipped_at');
      table.string('last_error', 500);
      time(table, 'last_error_at');
    });
    await knex.schema.alterTable('jobs', (table) => {
      table.index(['requested_by', 'created_at', 'id'], 'jobs_requester_order');
    });
  },
  async down(knex) {
    await knex.schema.alterTable('jobs', (table) => {
      table.dropIndex(['requested_by', 'created_at', 'id'], 'jobs_requester_order');
    });
    await knex.schema.dropTableIfExists('schedules');
  },
};
