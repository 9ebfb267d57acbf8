import { urlKey, type Migration } from './columns.ts';

/** Stores the URL that a site reports for itself. The next sync of each site fills the column. */
export const storeReportedAddresses: Migration = {
  name: '20261124T1740_store_reported_addresses',
  up: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      urlKey(knex, table, 'reported_key');
      table.index(['reported_key'], 'site_states_reported');
    }),
  down: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.dropIndex(['reported_key'], 'site_states_reported');
      table.dropColumn('reported_key');
    }),
};
