import type { Migration } from './columns.ts';

/** Existing mails get null: their sender and reply address come from the configuration, as before. */
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
