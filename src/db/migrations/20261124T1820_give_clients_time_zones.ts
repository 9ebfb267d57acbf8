import type { Migration } from './columns.ts';

export const giveClientsTimeZones: Migration = {
  name: '20261124T1820_give_clients_time_zones',
  up: (knex) =>
    knex.schema.alterTable('clients', (table) => {
      table.string('time_zone', 64).notNullable().defaultTo('');
    }),
  down: (knex) => knex.raw('alter table ?? drop column ??', ['clients', 'time_zone']),
};
