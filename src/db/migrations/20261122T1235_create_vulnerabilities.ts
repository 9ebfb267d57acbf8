import { createTable, dropTables, flag, longText, time, type Migration } from './columns.ts';

export const createVulnerabilities: Migration = {
  name: '20261122T1235_create_vulnerabilities',
  async up(knex) {
    await createTable(knex, 'vulnerability_feeds', (table) => {
      table.increments('id');
      table.string('kind', 16).notNullable();
      table.string('location', 2000).notNullable();
      // Hash of `kind` and `location`, because a location is too long for a key.
      table.string('feed_key', 32).notNullable().unique({ indexName: 'vulnerability_feeds_key' });
      // Identifies the last feed version that was read completely. If empty, the feed is read again.
      table.string('mark', 1000).notNullable().defaultTo('');
      table.integer('records').notNullable().defaultTo(0);
      table.integer('skipped').notNullable().defaultTo(0);
      time(table, 'checked_at');
      time(table, 'read_at');
      table.string('error', 500);
      time(table, 'error_at');
    });
    await createTable(knex, 'vulnerability_notices', (table) => {
      table.increments('id');
      table.string('notice_key', 32).notNullable().unique({ indexName: 'vulnerability_notices_key' });
      longText(table, 'body').notNullable();
    });
    await createTable(knex, 'vulnerabilities', (table) => {
      table.bigIncrements('id');
      table.integer('feed_id').unsigned().notNullable().references('vulnerability_feeds.id').onDelete('CASCADE');
      table.string('external_id', 190).notNullable();
      table.string('title', 500).notNullable();
      longText(table, 'description').notNullable();
      // 0 is not rated, 1 is low and 4 is critical.
      table.tinyint('severity').notNullable();
      // CVSS score in tenths: 98 means 9.8.
      table.integer('cvss');
      table.string('cvss_vector', 255).notNullable();
      table.string('cve', 32);
      time(table, 'published_at');
      time(table, 'modified_at');
      longText(table, 'details').notNullable();
      table.string('hash', 32).notNullable();
      time(table, 'withdrawn_at');
      table.unique(['feed_id', 'external_id'], { indexName: 'vulnerabilities_external' });
      table.index(['withdrawn_at'], 'vulnerabilities_withdrawn');
    });
    await createTable(knex, 'vulnerable_versions', (table) => {
      table.bigIncrements('id');
      table.bigInteger('vulnerability_id').unsigned().notNullable();
      table.string('type', 8).notNullable();
      table.string('slug', 190).notNullable();
      table.string('name', 255).notNullable();
      longText(table, 'ranges').notNullable();
      longText(table, 'patched').notNullable();
      table.foreign('vulnerability_id').references('vulnerabilities.id').onDelete('CASCADE');
      table.index(['type', 'slug', 'vulnerability_id'], 'vulnerable_versions_item');
    });
    // Plugins, themes and WordPress versions that a feed or a site has changed, and that have not been compared with
    // the feeds since.
    await createTable(knex, 'vulnerability_matches_due', (table) => {
      table.bigIncrements('id');
      table.string('type', 8).notNullable();
      table.string('slug', 190).notNullable();
    });
    await createTable(knex, 'installed_versions', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('type', 8).notNullable();
      // `item` is the identifier of the plugin or theme on the site, `slug` that in the feeds.
      table.string('item', 255).notNullable();
      table.string('slug', 190).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      time(table, 'since').notNullable();
      table.primary(['site_id', 'type', 'item']);
      table.index(['type', 'slug', 'site_id'], 'installed_versions_slug');
    });
    await createTable(knex, 'exposures', (table) => {
      table.bigIncrements('id');
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.bigInteger('vulnerability_id').unsigned().notNullable();
      table.string('type', 8).notNullable();
      table.string('item', 255).notNullable();
      table.string('slug', 190).notNullable();
      table.string('name', 255).notNullable();
      table.string('version', 64).notNullable();
      table.string('fixed_in', 64);
      table.tinyint('severity').notNullable();
      time(table, 'since').notNullable();
      time(table, 'found_at').notNullable();
      // 1 while the exposure is open, null after that. A unique key ignores null, so it allows one open exposure and
      // any number of closed ones.
      flag(table, 'lasting');
      time(table, 'until');
      table.string('ending', 16);
      table.string('ended_by_version', 64);
      table.foreign('vulnerability_id').references('vulnerabilities.id').onDelete('CASCADE');
      table.unique(['site_id', 'vulnerability_id', 'item', 'lasting'], { indexName: 'exposures_lasting' });
      table.index(['lasting', 'severity', 'since', 'id'], 'exposures_severity');
      table.index(['vulnerability_id', 'lasting', 'since'], 'exposures_vulnerability');
      table.index(['site_id', 'since'], 'exposures_site');
      table.index(['type', 'slug', 'lasting'], 'exposures_item');
      table.index(['until'], 'exposures_until');
    });
  },
  down: (knex) =>
    dropTables(
      knex,
      'exposures',
      'installed_versions',
      'vulnerability_matches_due',
      'vulnerable_versions',
      'vulnerabilities',
      'vulnerability_notices',
      'vulnerability_feeds',
    ),
};
