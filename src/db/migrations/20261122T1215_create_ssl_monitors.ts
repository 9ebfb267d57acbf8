import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createSslMonitors: Migration = {
  name: '20261122T1215_create_ssl_monitors',
  async up(knex) {
    // One row per site. A site without a row was never checked, and has no threshold of its own.
    await createTable(knex, 'ssl_monitors', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      // State after the last check, used to detect changes. Callers get the state at the time of their request.
      table.string('state', 16).notNullable();
      table.string('fault', 16);
      table.string('error_code', 32);
      table.string('error_message', 300);
      table.integer('threshold_days');
      time(table, 'last_check_at');
      table.string('fingerprint', 64);
      time(table, 'valid_from');
      time(table, 'valid_to');
      table.string('protocol', 16);
      table.string('cipher', 100);
      table.integer('chain_length').notNullable();
      table.string('weaknesses', 100).notNullable();
      table.index(['valid_to', 'site_id'], 'ssl_monitors_end');
    });
    await createTable(knex, 'ssl_certificates', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('fingerprint', 64).notNullable();
      table.string('key_fingerprint', 64).notNullable();
      time(table, 'valid_from');
      time(table, 'valid_to');
      longText(table, 'facts').notNullable();
      // Differences from the previous certificate, separated by commas.
      table.string('changed', 32).notNullable();
      time(table, 'first_seen_at').notNullable();
      time(table, 'last_seen_at').notNullable();
      table.primary(['site_id', 'fingerprint']);
      table.index(['site_id', 'last_seen_at'], 'ssl_certificates_order');
      table.index(['last_seen_at'], 'ssl_certificates_age');
    });
  },
  down: (knex) => dropTables(knex, 'ssl_certificates', 'ssl_monitors'),
};
