import { createTable, dropTables, time, type Migration } from './columns.ts';
import { createSiteTurns } from './20261121T1510_create_site_turns.ts';

export const createSiteLeases: Migration = {
  name: '20261122T1210_create_site_leases',
  async up(knex) {
    // Leases for work on a site. There is no foreign key, because it would lock the row of the site, which other
    // transactions write while a lease is held.
    await createTable(knex, 'site_leases', (table) => {
      table.integer('site_id').unsigned().notNullable();
      table.string('purpose', 16).notNullable();
      table.string('holder', 36).notNullable();
      time(table, 'leased_until').notNullable();
      table.primary(['site_id', 'purpose']);
    });
    await createSiteTurns.down(knex);
  },
  async down(knex) {
    await createSiteTurns.up(knex);
    await dropTables(knex, 'site_leases');
  },
};
