import assert from 'node:assert/strict';
import { JobReadModel } from '../../../src/domains/jobs/index.ts';
import { JobStore } from '../../../src/queue/job-store.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const ITEMS = 1_234;
const JOB = { kind: 'sync', requestedBy: unlimitedRequester('ann'), input: {} };

describe('failed items of a job', () => {
  let store: TestDatabase;
  beforeEach(async () => (store = await openTestDatabase()));
  afterEach(() => store.close());

  it('when a job with many items is retried, then the new job has each failed item once, in order', async () => {
    const { knex } = store.database;
    const jobs = new JobReadModel(knex);
    const queue = new JobStore(knex, systemClock, 30_000);
    const items = Array.from({ length: ITEMS }, (_, index) => ({ siteId: null, identifier: index }));
    const id = await knex.transaction((trx) => queue.insert(trx, { ...JOB, items }, null));
    await knex('job_items').where({ job_id: id }).update({ state: 'failed' });
    await knex('job_items').where({ job_id: id }).where('position', '<', 10).update({ state: 'succeeded' });
    const retryId = await knex.transaction(async (trx) => {
      const failed = await jobs.failedItems(trx, { id, stages: null });
      assert.deepEqual([failed.total, failed.firstStage], [ITEMS - 10, 0]);
      return queue.insert(trx, { ...JOB, items: failed }, null);
    });
    const retried = knex('job_items').where({ job_id: retryId }).orderBy('position');
    assert.deepEqual(
      await retried.select('position', 'identifier', 'state'),
      items.slice(10).map((item, position) => ({ position, identifier: String(item.identifier), state: 'waiting' })),
    );
    assert.deepEqual(await knex('jobs').where({ id: retryId }).pluck('total'), [ITEMS - 10]);
  });
});
