import type { Migration } from './columns.ts';

/** Adds the time of the last change of the fixed version of an exposure. It is null for stored exposures. */
export const timeChangedFixes: Migration = {
  name: '20261201T5010_time_changed_fixes',
  up: (knex) =>
    knex.schema.alterTable('exposures', (table) => {
      table.bigInteger('fix_changed_at');
    }),
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['exposures', 'fix_changed_at']);
  },
};
