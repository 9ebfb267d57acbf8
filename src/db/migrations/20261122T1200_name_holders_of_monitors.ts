import type { Migration } from './columns.ts';

export const nameHoldersOfMonitors: Migration = {
  name: '20261122T1200_name_holders_of_monitors',
  async up(knex) {
    // Job item for which a monitor is checked. A process that continues the item also takes over the monitor.
    await knex.schema.alterTable('monitors', (table) => {
      table.bigInteger('leased_by');
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['monitors', 'leased_by']);
  },
};
