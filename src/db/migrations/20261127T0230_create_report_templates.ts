import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

const CLIENT_COLUMNS = ['language', 'report_template', 'report_text', 'site_order'];

export const createReportTemplates: Migration = {
  name: '20261127T0230_create_report_templates',
  async up(knex) {
    await createTable(knex, 'report_templates', (table) => {
      table.increments('id');
      table.string('template_key', 64).notNullable();
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable();
      // Names of the sections, and of the topics of the appendix, as JSON lists.
      table.string('sections', 255).notNullable();
      table.string('appendix', 500).notNullable();
      longText(table, 'greeting').notNullable();
      longText(table, 'intro').notNullable();
      longText(table, 'closing').notNullable();
      table.string('language', 35);
      table.string('color', 7);
      table.string('accent_color', 7);
      // Logo as a data URL. Empty for no logo, null for the logo of the settings.
      longText(table, 'logo');
      flag(table, 'cover').notNullable();
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.unique(['template_key'], { indexName: 'report_templates_key' });
      table.index(['name_key', 'id'], 'report_templates_name');
    });
    await knex.schema.alterTable('clients', (table) => {
      table.string('language', 35).notNullable().defaultTo('');
      table.string('report_template', 64).notNullable().defaultTo('');
      table.string('report_text', 2000).notNullable().defaultTo('');
      // IDs of sites, separated by commas.
      table.string('site_order', 2200).notNullable().defaultTo('');
    });
  },
  async down(knex) {
    for (const column of CLIENT_COLUMNS.toReversed())
      await knex.raw('alter table ?? drop column ??', ['clients', column]);
    await dropTables(knex, 'report_templates');
  },
};
