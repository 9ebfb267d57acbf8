import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createDomainMonitor: Migration = {
  name: '20261122T1220_create_domain_monitor',
  async up(knex) {
    await createTable(knex, 'domains', (table) => {
      table.string('name', 253).primary();
      table.string('condition_code', 16).notNullable();
      longText(table, 'facts');
      table.string('source', 8);
      time(table, 'expires_at');
      table.string('error_code', 20);
      table.string('error_message', 500);
      time(table, 'asked_at');
      // Time of the last lookup that found the domain, or found that it is not registered. Reused for a day.
      time(table, 'answered_at');
      // Lease of the process that asks the registry. Responses to a query that lost its lease are ignored.
      time(table, 'lease_until');
      table.index(['answered_at'], 'domains_answered');
    });
    // One row per site. A site without a row was never checked, and uses the general settings.
    await createTable(knex, 'site_domains', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      table.string('domain', 253);
      table.integer('threshold_days');
      longText(table, 'manual');
      table.string('manual_condition', 16);
      time(table, 'manual_expires_at');
      // Last state that users were notified of, and number of notifications about it.
      table.string('told_state', 16);
      table.integer('told_count').notNullable().defaultTo(0);
      table.index(['domain'], 'site_domains_domain');
    });
    // Rate limit of each registry for all processes: when it was asked last, and until when it must not be asked.
    await createTable(knex, 'registry_gates', (table) => {
      table.string('host', 300).primary();
      time(table, 'asked_at').notNullable();
      time(table, 'closed_until').notNullable();
      time(table, 'busy_until').notNullable();
    });
    await createTable(knex, 'whois_servers', (table) => {
      table.string('tld', 63).primary();
      table.string('host', 253);
      time(table, 'found_at').notNullable();
    });
    await createTable(knex, 'rdap_bootstrap', (table) => {
      table.integer('id').primary();
      table.string('url', 500).notNullable();
      table.string('etag', 200);
      time(table, 'loaded_at').notNullable();
      longText(table, 'body').notNullable();
    });
  },
  down: (knex) => dropTables(knex, 'rdap_bootstrap', 'whois_servers', 'registry_gates', 'site_domains', 'domains'),
};
