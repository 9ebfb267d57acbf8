import { createTable, dropTables, type Migration } from './columns.ts';

/**
 * Adds the sites that a stored report shows. `site_id` is no foreign key: a report with a deleted site must not become
 * one about the other sites. For existing reports, the site of the report is stored, or the sites that its client has
 * now.
 */
export const createKeptReportSites: Migration = {
  name: '20261128T0600_create_kept_report_sites',
  up: async (knex) => {
    await createTable(knex, 'kept_report_sites', (table) => {
      table.integer('report_id').unsigned().notNullable().references('kept_reports.id').onDelete('CASCADE');
      table.integer('site_id').unsigned().notNullable();
      table.primary(['report_id', 'site_id']);
      table.index(['site_id', 'report_id'], 'kept_report_sites_site');
    });
    const columns = knex.raw('?? (??, ??)', ['kept_report_sites', 'report_id', 'site_id']);
    const made = () => knex('kept_reports').where('kept_reports.state', 'made');
    await knex(columns).insert(
      made().where('about', 'site').whereNotNull('site_id').select('kept_reports.id', 'kept_reports.site_id'),
    );
    await knex(columns).insert(
      made()
        .where('about', 'client')
        .join('sites', 'sites.client_id', 'kept_reports.client_id')
        .select('kept_reports.id', 'sites.id'),
    );
  },
  down: (knex) => dropTables(knex, 'kept_report_sites'),
};
