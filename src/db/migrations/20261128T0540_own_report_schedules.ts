import type { Migration } from './columns.ts';

const COLUMNS = ['owner_user_id', 'owner_key_id'];

/**
 * Adds the limited caller whose sites a schedule has. There is no foreign key, because a schedule of a deleted owner
 * has no sites, while a schedule without an owner has all. The databases never reuse an ID.
 */
export const ownReportSchedules: Migration = {
  name: '20261128T0540_own_report_schedules',
  up: async (knex) => {
    await knex.schema.alterTable('report_schedules', (table) => {
      for (const column of COLUMNS) table.integer(column).unsigned();
    });
  },
  // On SQLite, Knex would drop the columns by copying the whole table, and the tables that refer to it.
  down: async (knex) => {
    for (const column of COLUMNS) await knex.raw('alter table ?? drop column ??', ['report_schedules', column]);
  },
};
