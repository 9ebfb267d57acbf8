import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const FIELD = 'numberdays_outdate_plugin_theme';

export const moveDaysOfAbandoned: Migration = {
  name: '20261122T0835_move_days_of_abandoned',
  up: (knex) => renameStoredSetting(knex, `advanced.${FIELD}`, `general.${FIELD}`),
  down: (knex) => renameStoredSetting(knex, `general.${FIELD}`, `advanced.${FIELD}`),
};

const renameStoredSetting = async (knex: Knex, from: string, to: string): Promise<void> => {
  await knex('settings').where({ name: from }).update({ name: to });
};
