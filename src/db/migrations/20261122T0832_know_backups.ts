import { createTable, dropTables, time, type Migration } from './columns.ts';

export const knowBackups: Migration = {
  name: '20261122T0832_know_backups',
  async up(knex) {
    await createTable(knex, 'site_backups', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('source', 40).notNullable();
      time(table, 'taken_at').notNullable();
      table.primary(['site_id', 'source']);
    });
    await knex.schema.alterTable('site_states', (table) => {
      table.string('backup_method', 40);
    });
  },
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['site_states', 'backup_method']);
    await dropTables(knex, 'site_backups');
  },
};
