import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const shareReports: Migration = {
  name: '20261127T0930_share_reports',
  up: async (knex) => {
    await createTable(knex, 'report_links', (table) => {
      table.increments('id');
      table.integer('report_id').unsigned().notNullable().references('kept_reports.id').onDelete('CASCADE');
      table.bigInteger('mail_id').unsigned().notNullable();
      // Keyed hash; the token itself is only in the mail.
      table.string('token_hash', 64).notNullable().unique();
      time(table, 'created_at').notNullable();
      time(table, 'expires_at').notNullable();
      time(table, 'revoked_at');
      table.integer('openings').unsigned().notNullable().defaultTo(0);
      time(table, 'last_opened_at');
      table.index(['report_id', 'id'], 'report_links_report');
    });
    // Number of openings of a report on a day. `logged` is 1 if the change log contains them.
    await createTable(knex, 'report_openings', (table) => {
      table.integer('report_id').unsigned().notNullable().references('kept_reports.id').onDelete('CASCADE');
      table.string('day', 10).notNullable();
      table.integer('openings').unsigned().notNullable();
      flag(table, 'logged').notNullable().defaultTo(0);
      table.primary(['report_id', 'day']);
      table.index(['logged', 'day'], 'report_openings_logged');
    });
    // Texts that replace their placeholders when the mail is sent, as encrypted JSON.
    await knex.schema.alterTable('mails', (table) => void longText(table, 'sealed_texts'));
  },
  down: async (knex) => {
    await knex.raw('alter table ?? drop column ??', ['mails', 'sealed_texts']);
    await dropTables(knex, 'report_openings', 'report_links');
  },
};
