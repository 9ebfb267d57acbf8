import type { Migration } from './columns.ts';

const COLUMNS = ['fix_known_at', 'offered_at'];

/**
 * Adds the times at which a fixed version was known and offered by the site. For stored exposures, the fix counts as
 * known since they were found; their offers are not known.
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
