import type { Migration } from './columns.ts';

export const storeReportLanguages: Migration = {
  name: '20261127T1030_store_report_languages',
  up: (knex) =>
    knex.schema.alterTable('kept_reports', (table) => {
      table.string('language', 35).notNullable().defaultTo('en');
      table.text('own_text');
    }),
  async down(knex) {
    for (const column of ['language', 'own_text'])
      await knex.raw('alter table ?? drop column ??', ['kept_reports', column]);
  },
};
