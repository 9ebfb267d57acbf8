import { REVISION_SUBJECTS } from '../revisions.ts';
import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createOperation: Migration = {
  name: '20261121T1140_create_operation',
  async up(knex) {
    await createTable(knex, 'modules', (table) => {
      table.string('slug', 32).primary();
      flag(table, 'active').notNullable();
      time(table, 'updated_at').notNullable();
    });
    await createTable(knex, 'settings', (table) => {
      table.string('name', 96).primary();
      longText(table, 'value').notNullable();
      time(table, 'updated_at').notNullable();
    });
    await createTable(knex, 'revisions', (table) => {
      table.string('name', 32).primary();
      table.bigInteger('value').notNullable();
    });
    await knex('revisions').insert(REVISION_SUBJECTS.map((name) => ({ name, value: 1 })));
    await createTable(knex, 'jobs', (table) => {
      table.string('id', 64).primary();
      table.string('kind', 32).notNullable();
      table.string('state', 16).notNullable();
      table.integer('total').notNullable();
      table.integer('processed').notNullable();
      table.integer('succeeded').notNullable();
      table.integer('failed').notNullable();
      table.string('requested_by', 60).notNullable();
      longText(table, 'input').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'started_at');
      time(table, 'completed_at');
      table.index(['created_at', 'id'], 'jobs_order');
      table.index(['state', 'created_at', 'id'], 'jobs_state_order');
      table.index(['kind', 'created_at', 'id'], 'jobs_kind_order');
    });
    await createTable(knex, 'job_items', (table) => {
      table.bigIncrements('id');
      table.string('job_id', 64).notNullable().references('jobs.id').onDelete('CASCADE');
      table.integer('position').notNullable();
      table.integer('site_id').unsigned();
      table.string('identifier', 512).notNullable();
      table.string('state', 16).notNullable();
      table.string('lease_owner', 64);
      time(table, 'lease_until');
      table.integer('attempt').notNullable();
      longText(table, 'result');
      table.string('error_code', 64);
      table.string('error_message', 500);
      time(table, 'started_at');
      time(table, 'completed_at');
      table.unique(['job_id', 'position'], { indexName: 'job_items_position' });
      table.index(['job_id', 'state', 'position'], 'job_items_state');
      table.index(['state', 'lease_until'], 'job_items_lease');
      table.index(['lease_owner', 'state'], 'job_items_owner');
    });
  },
  down: (knex) => dropTables(knex, 'job_items', 'jobs', 'revisions', 'settings', 'modules'),
};
