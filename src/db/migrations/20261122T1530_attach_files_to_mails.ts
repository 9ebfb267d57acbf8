import { bytes, createTable, dropTables, type Migration } from './columns.ts';

export const attachFilesToMails: Migration = {
  name: '20261122T1530_attach_files_to_mails',
  async up(knex) {
    await createTable(knex, 'mail_attachments', (table) => {
      table.bigInteger('mail_id').unsigned().notNullable().references('mails.id').onDelete('CASCADE');
      table.integer('position').notNullable();
      table.string('name', 255).notNullable();
      table.string('content_type', 100).notNullable();
      table.integer('size').unsigned().notNullable();
      table.primary(['mail_id', 'position']);
    });
    await createTable(knex, 'mail_attachment_parts', (table) => {
      table.bigInteger('mail_id').unsigned().notNullable().references('mails.id').onDelete('CASCADE');
      table.integer('position').notNullable();
      table.integer('part').notNullable();
      bytes(knex, table, 'bytes').notNullable();
      table.primary(['mail_id', 'position', 'part']);
    });
  },
  down: (knex) => dropTables(knex, 'mail_attachment_parts', 'mail_attachments'),
};
