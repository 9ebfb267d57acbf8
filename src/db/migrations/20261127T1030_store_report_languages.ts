import type { Migration } from './columns.ts';

/** Adds the language of a stored report. Reports that were made before are in English. */
export const storeReportLanguages: Migration = {
  name: '20261127T1030_store_report_languages',
  up: (knex) =>
    knex.schema.alterTable('kept_reports', (table) => void table.string('language', 35).notNullable().defaultTo('en')),
  down: (knex) => knex.raw('alter table ?? drop column ??', ['kept_reports', 'language']).then(() => undefined),
};
