import type { Migration } from './columns.ts';

const COLUMNS = ['owner_user_id', 'owner_key_id'];

/**
 * Adds the user or API key that started a job, if it is limited to some sites. Both are null for other jobs and for
 * existing ones. The columns are no foreign keys, because a job of a deleted owner must not become a job without
 * limits. The index is for finding the jobs of some sites.
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
