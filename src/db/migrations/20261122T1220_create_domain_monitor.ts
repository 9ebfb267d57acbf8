import { createTable, dropTables, longText, time, type Migration } from './columns.ts';

export const createDomainMonitor: Migration = {
  name: '20261122T1220_create_domain_monitor',
  async up(knex) {
    // One a registrable domain, however many sites lie in it.
    await createTable(knex, 'domains', (table) => {
      table.string('name', 253).primary();
      table.string('condition_code', 16).notNullable();
      // What is known, as JSON; null before the first good look-up.
      longText(table, 'facts');
      table.string('source', 8);
      time(table, 'expires_at');
      table.string('error_code', 20);
      table.string('error_message', 500);
      time(table, 'asked_at');
      // When the registry last gave an answer that is good for a day.
      time(table, 'answered_at');
      // While a process asks; also tells its answer from that of one that was given up.
      time(table, 'lease_until');
      table.index(['answered_at'], 'domains_answered');
    });
    // One a site; a site without a row was never checked, and follows the settings.
    await createTable(knex, 'site_domains', (table) => {
      table.integer('site_id').unsigned().primary().references('sites.id').onDelete('CASCADE');
      // Null where the address has no registrable domain.
      table.string('domain', 253);
      table.integer('threshold_days');
      // The entry by hand, as JSON; null while the registry is asked.
      longText(table, 'manual');
      table.string('manual_condition', 16);
      time(table, 'manual_expires_at');
      // What people were last told of it, and how often there was news.
      table.string('told_state', 16);
      table.integer('told_count').notNullable().defaultTo(0);
      table.index(['domain'], 'site_domains_domain');
    });
    // When each registry may be asked, for all processes.
    await createTable(knex, 'registry_gates', (table) => {
      table.string('host', 300).primary();
      time(table, 'asked_at').notNullable();
      // A pause that it asked for.
      time(table, 'closed_until').notNullable();
      // Until when questions have been put off.
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
