import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrateDown, migrateUp } from '../../src/db/migrations/index.ts';
import { withFreshDatabase } from '../support/database.ts';

const ITEMS = [
  ['succeeded', null],
  ['failed', 'svc_update_failed'],
  ['failed', 'svc_outcome_unknown'],
  ['cancelled', 'svc_cancelled'],
  ['cancelled', 'svc_ring_stopped'],
  ['waiting', null],
] as const;

describe('migration of job counters', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  const countsOf = (id: string) =>
    knex('jobs').where({ id }).first('succeeded', 'partial', 'failed', 'unknown', 'not_begun');

  it('when jobs have items of all former states, then items and counters have the new ones', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1425_count_ended_items');
    const job = { kind: 'update', state: 'cancelled', requested_by: 'admin', input: '{}', created_at: 1 };
    await knex('jobs').insert([
      { ...job, id: 'a', total: 6, processed: 5, succeeded: 1, failed: 4 },
      { ...job, id: 'b', total: 1, processed: 1, succeeded: 0, failed: 1 },
    ]);
    const item = { site_id: 1, identifier: '1', attempt: 1 };
    for (const [position, [state, error_code]] of ITEMS.entries()) {
      const result = state === 'waiting' ? '{}' : null;
      await knex('job_items').insert({ ...item, job_id: 'a', position, state, error_code, result });
    }
    await knex('job_items').insert({
      ...item,
      job_id: 'b',
      position: 0,
      state: 'failed',
      error_code: 'svc_site_refused',
    });
    await migrateUp(knex);
    assert.deepEqual(await knex('job_items').where({ job_id: 'a' }).orderBy('position').pluck('state'), [
      'succeeded',
      'failed',
      'unknown',
      'not_begun',
      'not_begun',
      'waiting',
    ]);
    assert.deepEqual({ ...(await countsOf('a')) }, { succeeded: 1, partial: 0, failed: 1, unknown: 1, not_begun: 2 });
    assert.deepEqual({ ...(await countsOf('b')) }, { succeeded: 0, partial: 0, failed: 1, unknown: 0, not_begun: 0 });
    assert.deepEqual(await knex('job_items').whereNotNull('end_state').pluck('end_state'), ['succeeded']);
    while ((await migrateDown(knex))[0] !== '20261124T1425_count_ended_items');
    assert.deepEqual(
      await knex('job_items').where({ job_id: 'a' }).orderBy('position').pluck('state'),
      ITEMS.map(([state]) => state),
    );
    assert.equal((await knex('jobs').where({ id: 'a' }).first<{ failed: number }>('failed')).failed, 4);
    await migrateUp(knex);
  });
});
