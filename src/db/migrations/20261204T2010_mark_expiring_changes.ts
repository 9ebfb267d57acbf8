import { time, type Migration } from './columns.ts';

export const markExpiringChanges: Migration = {
  name: '20261204T2010_mark_expiring_changes',
  up: async (knex) => {
    await knex.schema.alterTable(
      'change_marks',
      (table) => void time(table, 'expiring_before').notNullable().defaultTo(0),
    );
  },
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['change_marks', 'expiring_before']);
  },
};
