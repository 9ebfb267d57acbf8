import { createTable, dropTables, type Migration } from './columns.ts';

/**
 * Adds the sites that a mail is about. A mail without rows, such as one from before this migration, can be about any
 * site. `site_id` is no foreign key: a mail about a deleted site must not become one about its other sites.
 */
export const createMailSites: Migration = {
  name: '20261128T0550_create_mail_sites',
  up: (knex) =>
    createTable(knex, 'mail_sites', (table) => {
      table.bigInteger('mail_id').unsigned().notNullable().references('mails.id').onDelete('CASCADE');
      table.integer('site_id').unsigned().notNullable();
      table.primary(['mail_id', 'site_id']);
      table.index(['site_id', 'mail_id'], 'mail_sites_site');
    }),
  down: (knex) => dropTables(knex, 'mail_sites'),
};
