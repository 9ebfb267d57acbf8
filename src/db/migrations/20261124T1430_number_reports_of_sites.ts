import type { Migration } from './columns.ts';

export const numberReportsOfSites: Migration = {
  name: '20261124T1430_number_reports_of_sites',
  up: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.bigInteger('report_number').notNullable().defaultTo(0);
      table.text('section_numbers');
    }),
  down: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.dropColumns('report_number', 'section_numbers');
    }),
};
