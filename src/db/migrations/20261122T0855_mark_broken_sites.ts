import { longText, time, type Migration } from './columns.ts';

export const markBrokenSites: Migration = {
  name: '20261122T0855_mark_broken_sites',
  async up(knex) {
    await knex.schema.alterTable('site_states', (table) => {
      longText(table, 'broken_by_update');
    });
    await knex.schema.alterTable('site_updates', (table) => {
      time(table, 'first_seen_at').notNullable().defaultTo(0);
    });
    // It is unknown since when the existing updates have been available, so the delay before their automatic
    // installation is counted from this migration.
    await knex('site_updates').update({ first_seen_at: Date.now() });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['site_updates', 'first_seen_at']);
    await knex.raw('alter table ?? drop column ??', ['site_states', 'broken_by_update']);
  },
};
