import type { Migration } from './columns.ts';

/** Adds the date from which the due dates of a cost are computed, if it differs from the date of the last renewal. */
export const countRenewals: Migration = {
  name: '20261122T0905_count_renewals',
  async up(knex) {
    await knex.schema.alterTable('costs', (table) => {
      table.string('renewal_anchor', 10);
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['costs', 'renewal_anchor']);
  },
};
