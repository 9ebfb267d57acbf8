import { flag, time, type Migration } from './columns.ts';

export const holdFirstReports: Migration = {
  name: '20261127T1000_hold_first_reports',
  up: async (knex) => {
    await knex.schema.alterTable('report_schedules', (table) => {
      flag(table, 'hold_first_report').notNullable().defaultTo(0);
      time(table, 'released_at');
    });
    await knex.schema.alterTable('kept_reports', (table) => {
      table.string('release_state', 16);
      time(table, 'held_at');
      time(table, 'reminded_at');
      table.index(['release_state', 'schedule_id', 'id'], 'kept_reports_release');
    });
  },
  down: async (knex) => {
    await knex.schema.alterTable('kept_reports', (table) => void table.dropIndex([], 'kept_reports_release'));
    for (const [table, column] of [
      ['kept_reports', 'release_state'],
      ['kept_reports', 'held_at'],
      ['kept_reports', 'reminded_at'],
      ['report_schedules', 'hold_first_report'],
      ['report_schedules', 'released_at'],
    ] as const)
      await knex.raw('alter table ?? drop column ??', [table, column]);
  },
};
