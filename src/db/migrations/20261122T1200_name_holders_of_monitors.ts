import type { Migration } from './columns.ts';

export const nameHoldersOfMonitors: Migration = {
  name: '20261122T1200_name_holders_of_monitors',
  async up(knex) {
    // The item of a job in whose name a monitor is checked: whoever goes on with the item takes the monitor over.
    await knex.schema.alterTable('monitors', (table) => {
      table.bigInteger('leased_by');
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['monitors', 'leased_by']);
  },
};
