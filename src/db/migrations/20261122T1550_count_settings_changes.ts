import type { Migration } from './columns.ts';

/** A revision of the settings, by which every process knows that another has changed them. */
export const countSettingsChanges: Migration = {
  name: '20261122T1550_count_settings_changes',
  async up(knex) {
    // The step that made the table may have brought it already.
    await knex('revisions').insert({ name: 'settings', value: 1 }).onConflict('name').ignore();
  },
  async down(knex) {
    await knex('revisions').where({ name: 'settings' }).delete();
  },
};
