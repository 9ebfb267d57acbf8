import type { Migration } from './columns.ts';

/** Adds the main file of the plugin whose activation a guard file guards. It is null if the file guards an update. */
export const guardActivations: Migration = {
  name: '20261202T1000_guard_activations',
  up: (knex) =>
    knex.schema.alterTable('guard_files', (table) => {
      table.string('activated_file', 255);
    }),
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['guard_files', 'activated_file']);
  },
};
