import type { Migration } from './columns.ts';

const COLUMNS = ['owner_user_id', 'owner_key_id'];

/**
 * Adds the owner of a report schedule: a user or API key that is limited to some sites. The schedule reports only on
 * the sites of its owner, or on all sites if it has none. The columns are no foreign keys: the schedule of a deleted
 * owner must report on no site, not on all. The databases never reuse an ID.
 */
export const ownReportSchedules: Migration = {
  name: '20261128T0540_own_report_schedules',
  up: async (knex) => {
    await knex.schema.alterTable('report_schedules', (table) => {
      for (const column of COLUMNS) table.integer(column).unsigned();
    });
  },
  down: async (knex) => {
    for (const column of COLUMNS) await knex.raw('alter table ?? drop column ??', ['report_schedules', column]);
  },
};
