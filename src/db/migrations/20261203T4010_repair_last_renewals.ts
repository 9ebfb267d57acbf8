import type { Migration } from './columns.ts';

/** Puts back a last renewal that was moved past the year 9999 to a text such as `+010000-01`, which is no date. */
export const repairLastRenewals: Migration = {
  name: '20261203T4010_repair_last_renewals',
  async up(knex) {
    await knex('costs')
      .where('last_renewal', 'like', '+%')
      .update({ last_renewal: knex.ref('renewal_anchor') });
  },
  down: () => Promise.resolve(),
};
