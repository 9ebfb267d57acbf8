import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createMails: Migration = {
  name: '20261122T0900_create_mails',
  up: async (knex) => {
    await createTable(knex, 'mails', (table) => {
      table.bigIncrements('id');
      table.string('type', 40).notNullable();
      table.string('message_id', 190).notNullable();
      table.string('subject', 500).notNullable();
      longText(table, 'html').notNullable();
      longText(table, 'text').notNullable();
      longText(table, 'links').notNullable();
      table.string('state', 20).notNullable();
      // Progress of the current attempt. The mail server can have received the mail only if the phase is `content`.
      table.string('phase', 20);
      // Number of all attempts. A result that another process reports for an earlier attempt is ignored.
      table.integer('attempts').notNullable().defaultTo(0);
      // Number of attempts since a user or an alert last queued the mail. Determines the delay of the next one.
      table.integer('tries').notNullable().defaultTo(0);
      table.string('error_code', 40);
      table.string('error_message', 500);
      table.integer('smtp_status');
      table.string('job_id', 64);
      time(table, 'created_at').notNullable();
      time(table, 'updated_at').notNullable();
      time(table, 'next_attempt_at');
      time(table, 'sent_at');
      table.index(['state', 'id']);
      table.index(['type', 'id']);
      table.index(['created_at', 'id']);
    });
    await createTable(knex, 'mail_recipients', (table) => {
      table.bigInteger('mail_id').unsigned().notNullable().references('mails.id').onDelete('CASCADE');
      table.integer('position').notNullable();
      table.string('address', 254).notNullable();
      table.string('state', 20).notNullable();
      table.integer('smtp_status');
      table.string('message', 500);
      table.primary(['mail_id', 'position']);
      table.index(['address', 'mail_id']);
    });
    // Time at which the service decided whether the alert is mailed; null before that. No mail is sent if this type of
    // alert is disabled.
    await knex.schema.alterTable('alerts', (table) => {
      time(table, 'handled_at');
      table.index(['handled_at', 'id']);
    });
  },
  down: async (knex) => {
    await knex.schema.alterTable('alerts', (table) => {
      table.dropIndex(['handled_at', 'id']);
      table.dropColumn('handled_at');
    });
    await dropTables(knex, 'mail_recipients', 'mails');
  },
};
