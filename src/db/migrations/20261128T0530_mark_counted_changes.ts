import { createTable, dropTables, type Migration } from './columns.ts';

export const markCountedChanges: Migration = {
  name: '20261128T0530_mark_counted_changes',
  up: async (knex) => {
    await createTable(knex, 'change_marks', (table) => {
      table.integer('id').unsigned().primary();
      table.integer('change_id').unsigned().notNullable();
    });
    await knex('change_marks').insert({ id: 1, change_id: 0 });
    // In a new database, an earlier migration has inserted this row.
    await knex('revisions').insert({ name: 'changes', value: 1 }).onConflict('name').ignore();
  },
  down: async (knex) => {
    await dropTables(knex, 'change_marks');
    await knex('revisions').where({ name: 'changes' }).delete();
  },
};
