import { longText, type Migration } from './columns.ts';

export const storeMailLooks: Migration = {
  name: '20261127T1200_store_mail_looks',
  up: (knex) =>
    knex.schema.alterTable('kept_reports', (table) => {
      longText(table, 'mail_look');
    }),
  async down(knex) {
    await knex.raw('alter table ?? drop column ??', ['kept_reports', 'mail_look']);
  },
};
