import type { Migration } from './columns.ts';

/** Adds sender names and reply addresses. Existing mails get null: they are sent as configured so far. */
export const nameMailSenders: Migration = {
  name: '20261127T0900_name_mail_senders',
  up: async (knex) => {
    await knex.schema.alterTable('mails', (table) => {
      table.string('from_name', 120);
      table.string('reply_to', 254);
    });
    await knex.schema.alterTable('clients', (table) => {
      table.string('mail_from_name', 120).notNullable().defaultTo('');
      table.string('mail_reply_to', 254).notNullable().defaultTo('');
    });
  },
  // On SQLite, Knex would drop the columns by copying the whole table, and the tables that refer to it.
  down: async (knex) => {
    for (const [table, column] of [
      ['mails', 'from_name'],
      ['mails', 'reply_to'],
      ['clients', 'mail_from_name'],
      ['clients', 'mail_reply_to'],
    ] as const)
      await knex.raw('alter table ?? drop column ??', [table, column]);
  },
};
