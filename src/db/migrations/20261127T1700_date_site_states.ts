import { time, type Migration } from './columns.ts';

/**
 * Adds the time of the last report of a site that changed the stored state. It is null if that report is older than
 * this migration. Then the time of the sync counts.
 */
export const dateSiteStates: Migration = {
  name: '20261127T1700_date_site_states',
  up: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      time(table, 'state_changed_at');
    }),
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['site_states', 'state_changed_at']);
  },
};
