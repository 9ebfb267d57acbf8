import type { Migration } from './columns.ts';

const INDEXES = [
  ['sites', 'sites_name_order', ['name_key', 'id']],
  ['clients', 'clients_created_order', ['created_at', 'id']],
  ['tags', 'tags_created_order', ['created_at', 'id']],
  ['costs', 'costs_price_order', ['price_minor', 'id']],
  ['costs', 'costs_renewal_order', ['last_renewal', 'id']],
  ['jobs', 'jobs_completed_order', ['completed_at', 'id']],
] as const;

export const orderLists: Migration = {
  name: '20261128T0420_order_lists',
  up: async (knex) => {
    for (const [table, name, columns] of INDEXES)
      await knex.schema.alterTable(table, (altered) => {
        altered.index([...columns], name);
      });
  },
  down: async (knex) => {
    for (const [table, name, columns] of INDEXES)
      await knex.schema.alterTable(table, (altered) => {
        altered.dropIndex([...columns], name);
      });
  },
};
