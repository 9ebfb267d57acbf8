import { time, type Migration } from './columns.ts';

export const postponeJobItems: Migration = {
  name: '20261122T0240_postpone_job_items',
  async up(knex) {
    await knex.schema.alterTable('job_items', (table) => {
      time(table, 'not_before');
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['job_items', 'not_before']);
  },
};
