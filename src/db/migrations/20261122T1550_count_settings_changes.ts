import type { Migration } from './columns.ts';

export const countSettingsChanges: Migration = {
  name: '20261122T1550_count_settings_changes',
  async up(knex) {
    // In new databases, the migration that creates the table has already inserted this row.
    await knex('revisions').insert({ name: 'settings', value: 1 }).onConflict('name').ignore();
  },
  async down(knex) {
    await knex('revisions').where({ name: 'settings' }).delete();
  },
};
