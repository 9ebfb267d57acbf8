import { createTable, dropTables, time, type Migration } from './columns.ts';

export const createDismissedMessages: Migration = {
  name: '20261122T0831_create_dismissed_messages',
  up: (knex) =>
    createTable(knex, 'dismissed_messages', (table) => {
      table.integer('user_id').unsigned().notNullable().references('users.id').onDelete('CASCADE');
      table.string('message_id', 100).notNullable();
      time(table, 'dismissed_at').notNullable();
      table.primary(['user_id', 'message_id']);
    }),
  down: (knex) => dropTables(knex, 'dismissed_messages'),
};
