import type { Migration } from './columns.ts';

const COUNTERS = ['partial', 'unknown', 'not_begun'] as const;

/**
 * Counts the items of jobs by the state in which they ended. Items that were canceled have not begun. Failed items with
 * the error `svc_outcome_unknown` have an unknown outcome. Both were counted as failed.
 */
export const countEndedItems: Migration = {
  name: '20261124T1425_count_ended_items',
  async up(knex) {
    await knex.schema.alterTable('jobs', (table) => {
      for (const counter of COUNTERS) table.integer(counter).notNullable().defaultTo(0);
    });
    await knex.schema.alterTable('job_items', (table) => void table.string('end_state', 16));
    await knex('job_items').where({ state: 'waiting' }).whereNotNull('result').update({ end_state: 'succeeded' });
    await knex('job_items').where({ state: 'cancelled' }).update({ state: 'not_begun' });
    await knex('job_items').where({ state: 'failed', error_code: 'svc_outcome_unknown' }).update({ state: 'unknown' });
    for (const state of ['unknown', 'not_begun']) {
      const items = knex('job_items').where({ state });
      const count = items.clone().where('job_id', knex.ref('jobs.id')).count();
      await knex('jobs')
        .whereIn('id', items.clone().select('job_id'))
        .update({ [state]: count });
    }
    await knex('jobs').update({ failed: knex.raw('failed - ?? - ??', ['unknown', 'not_begun']) });
  },
  async down(knex) {
    await knex('jobs').update({
      succeeded: knex.raw('succeeded + ??', ['partial']),
      failed: knex.raw('failed + ?? + ??', ['unknown', 'not_begun']),
    });
    await knex('job_items').where({ state: 'not_begun' }).update({ state: 'cancelled' });
    await knex('job_items').where({ state: 'unknown' }).update({ state: 'failed' });
    await knex('job_items')
      .where({ state: 'partial' })
      .update({ state: 'succeeded', error_code: null, error_message: null });
    await knex.raw('alter table ?? drop column ??', ['job_items', 'end_state']);
    for (const counter of COUNTERS) await knex.raw('alter table ?? drop column ??', ['jobs', counter]);
  },
};
