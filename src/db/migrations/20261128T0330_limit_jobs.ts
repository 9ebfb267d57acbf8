import type { Migration } from './columns.ts';

const COLUMNS = ['owner_user_id', 'owner_key_id'];

/**
 * Jobs remember the limited credential that started them; it is null for others and for earlier jobs. The columns are
 * no foreign keys: a job of a deleted owner must not become one without limits. The index finds the jobs of some sites.
 */
export const limitJobs: Migration = {
  name: '20261128T0330_limit_jobs',
  up: async (knex) => {
    await knex.schema.alterTable('jobs', (table) => {
      for (const column of COLUMNS) table.integer(column).unsigned();
    });
    await knex.schema.alterTable('job_items', (table) => {
      table.index(['site_id', 'job_id'], 'job_items_site');
    });
  },
  down: async (knex) => {
    await knex.schema.alterTable('job_items', (table) => {
      table.dropIndex(['site_id', 'job_id'], 'job_items_site');
    });
    for (const column of COLUMNS) await knex.raw('alter table ?? drop column ??', ['jobs', column]);
  },
};
