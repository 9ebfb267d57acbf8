import type { Migration } from './columns.ts';

const COLUMNS = ['fix_known_at', 'offered_at'];

/**
 * Adds the time since which a fixed version is known, and the time since which the site offers it as an update. For
 * stored exposures, the first is the time at which they were found, and the second is null.
 */
export const clockVulnerabilities: Migration = {
  name: '20261129T5010_clock_vulnerabilities',
  up: async (knex) => {
    await knex.schema.alterTable('exposures', (table) => {
      for (const name of COLUMNS) table.bigInteger(name);
    });
    await knex('exposures')
      .whereNotNull('fixed_in')
      .update({ fix_known_at: knex.ref('found_at') });
  },
  down: async (knex) => {
    for (const name of COLUMNS) await knex.raw('alter table ?? drop column ??', ['exposures', name]);
  },
};
