import { longText, type Migration } from './columns.ts';

/** Adds the stored steps of an activation or deactivation, so that another process can finish it or take it back. */
export const recordPluginSwitches: Migration = {
  name: '20261201T1000_record_plugin_switches',
  up: (knex) =>
    knex.schema.alterTable('vulnerability_fixes', (table) => {
      longText(table, 'switch_record');
    }),
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['vulnerability_fixes', 'switch_record']);
  },
};
