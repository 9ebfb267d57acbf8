import { bytes, createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createReportSchedules: Migration = {
  name: '20261122T1535_create_report_schedules',
  async up(knex) {
    await createTable(knex, 'report_schedules', (table) => {
      table.increments('id');
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable();
      table.integer('site_id').unsigned().references('sites.id').onDelete('CASCADE');
      table.integer('client_id').unsigned().references('clients.id').onDelete('CASCADE');
      table.string('frequency', 16).notNullable();
      table.integer('day').notNullable();
      table.string('time_of_day', 5).notNullable();
      // JSON; null for the segments that need no call to the site, and those of the appendix of the template.
      longText(table, 'segments');
      longText(table, 'recipients').notNullable();
      table.string('subject', 200);
      table.string('format', 8).notNullable();
      flag(table, 'active').notNullable();
      // Next run, and the time zone that it was computed with; null if the schedule is not active.
      time(table, 'next_run_at');
      table.string('zone', 64);
      time(table, 'last_run_at');
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      table.index(['name_key', 'id'], 'report_schedules_name');
      table.index(['site_id', 'id'], 'report_schedules_site');
      table.index(['client_id', 'id'], 'report_schedules_client');
      table.index(['next_run_at', 'id'], 'report_schedules_next');
      table.index(['last_run_at', 'id'], 'report_schedules_last');
      table.index(['created_at', 'id'], 'report_schedules_created');
    });
    await createTable(knex, 'kept_reports', (table) => {
      table.increments('id');
      table.integer('schedule_id').unsigned().references('report_schedules.id').onDelete('SET NULL');
      table.string('about', 16).notNullable();
      table.integer('site_id').unsigned().references('sites.id').onDelete('SET NULL');
      table.integer('client_id').unsigned().references('clients.id').onDelete('SET NULL');
      table.string('name', 255).notNullable();
      table.string('name_key', 255).notNullable();
      table.string('url', 512).notNullable();
      table.string('frequency', 16).notNullable();
      table.string('start_date', 10).notNullable();
      table.string('end_date', 10).notNullable();
      table.string('zone', 64).notNullable();
      table.string('state', 16).notNullable();
      table.string('error_code', 64);
      table.string('error_message', 500);
      table.string('pdf_error_code', 64);
      table.string('pdf_error_message', 500);
      table.integer('html_size').unsigned();
      table.integer('pdf_size').unsigned();
      // Lines of text for the mail with the report, and the recipients of the first mail, as JSON lists.
      longText(table, 'summary').notNullable();
      longText(table, 'recipients').notNullable();
      table.string('subject', 200);
      table.string('file_name', 150).notNullable();
      table.integer('sites_count').unsigned().notNullable();
      table.string('job_id', 64);
      table.bigInteger('mail_id').unsigned().references('mails.id').onDelete('SET NULL');
      time(table, 'created_at').notNullable();
      time(table, 'made_at');
      table.index(['created_at', 'id'], 'kept_reports_created');
      table.index(['start_date', 'id'], 'kept_reports_start');
      table.index(['name_key', 'id'], 'kept_reports_name');
      table.index(['state', 'id'], 'kept_reports_state');
      table.index(['site_id', 'created_at', 'id'], 'kept_reports_site');
      table.index(['client_id', 'created_at', 'id'], 'kept_reports_client');
      table.index(['schedule_id', 'created_at', 'id'], 'kept_reports_schedule');
      table.index(['mail_id', 'id'], 'kept_reports_mail');
    });
    await createTable(knex, 'kept_report_parts', (table) => {
      table.integer('report_id').unsigned().notNullable().references('kept_reports.id').onDelete('CASCADE');
      table.string('format', 8).notNullable();
      table.integer('part').notNullable();
      bytes(knex, table, 'bytes').notNullable();
      table.primary(['report_id', 'format', 'part']);
    });
    await createTable(knex, 'kept_report_mails', (table) => {
      table.integer('report_id').unsigned().notNullable().references('kept_reports.id').onDelete('CASCADE');
      table.bigInteger('mail_id').unsigned().notNullable().references('mails.id').onDelete('CASCADE');
      table.primary(['report_id', 'mail_id']);
      table.index(['mail_id'], 'kept_report_mails_mail');
    });
  },
  down: (knex) => dropTables(knex, 'kept_report_mails', 'kept_report_parts', 'kept_reports', 'report_schedules'),
};
