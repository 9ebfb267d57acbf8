import { flag, longText, type Migration } from './columns.ts';

export const stageJobs: Migration = {
  name: '20261122T0925_stage_jobs',
  async up(knex) {
    await knex.schema.alterTable('jobs', (table) => {
      longText(table, 'stages');
      table.integer('open_stage').notNullable().defaultTo(0);
      table.integer('stopped_stage');
      table.integer('flawed').notNullable().defaultTo(0);
    });
    await knex.schema.alterTable('job_items', (table) => {
      table.integer('stage').notNullable().defaultTo(0);
      flag(table, 'flawed').notNullable().defaultTo(0);
    });
  },
  async down(knex) {
    for (const column of ['flawed', 'stage']) await knex.raw('alter table ?? drop column ??', ['job_items', column]);
    for (const column of ['flawed', 'stopped_stage', 'open_stage', 'stages'])
      await knex.raw('alter table ?? drop column ??', ['jobs', column]);
  },
};
