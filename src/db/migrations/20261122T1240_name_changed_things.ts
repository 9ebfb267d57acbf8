import type { Migration } from './columns.ts';

export const nameChangedThings: Migration = {
  name: '20261122T1240_name_changed_things',
  async up(knex) {
    await knex.schema.alterTable('changes', (table) => {
      table.string('object_name', 255);
      table.string('object_key', 191);
      table.text('old_values');
      table.text('new_values');
    });
  },
  async down(knex) {
    for (const column of ['object_name', 'object_key', 'old_values', 'new_values'])
      await knex.raw('alter table ?? drop column ??', ['changes', column]);
  },
};
