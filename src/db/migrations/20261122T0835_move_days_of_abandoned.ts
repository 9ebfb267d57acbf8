import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const FIELD = 'numberdays_outdate_plugin_theme';

export const moveDaysOfAbandoned: Migration = {
  name: '20261122T0835_move_days_of_abandoned',
  up: (knex) => move(knex, `advanced.${FIELD}`, `general.${FIELD}`),
  down: (knex) => move(knex, `general.${FIELD}`, `advanced.${FIELD}`),
};

const move = async (knex: Knex, from: string, to: string): Promise<void> => {
  await knex('settings').where({ name: from }).update({ name: to });
};
