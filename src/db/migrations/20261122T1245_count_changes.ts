import { createTable, dropTables, time, type Migration } from './columns.ts';

export const countChanges: Migration = {
  name: '20261122T1245_count_changes',
  async up(knex) {
    await createTable(knex, 'change_counts', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      // First moment of the month in UTC.
      time(table, 'month').notNullable();
      table.string('source', 16).notNullable();
      table.string('type', 96).notNullable();
      table.integer('count').unsigned().notNullable();
      table.primary(['site_id', 'month', 'source', 'type']);
    });
    await knex.schema.alterTable('changes', (table) => void table.index(['at'], 'changes_age'));
  },
  async down(knex) {
    await knex.schema.alterTable('changes', (table) => void table.dropIndex(['at'], 'changes_age'));
    await dropTables(knex, 'change_counts');
  },
};
