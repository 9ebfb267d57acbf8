import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { JobReadModel } from '../../../src/domains/jobs/index.ts';
import { ALL_SITES, scopeWithin } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const ALL = { page: 1, perPage: 100 };
const STAGES = JSON.stringify({ names: ['first', 'rest'], stopAfter: 1 });
const FAILED = 7;
const SIZES = { large: 12_000, middle: 6_000, other: 6_000, small: 10 } as const;

/** Half of the items of each job are on `seen`. The first items have failed. The last one is in the second stage. */
async function seedJob(knex: Knex, id: string, total: number, [seen, unseen]: readonly number[]): Promise<void> {
  const counts = { processed: total, succeeded: total - FAILED, failed: FAILED };
  await knex('jobs').insert({
    ...{ id, kind: 'update', state: 'completed', total, ...counts, stages: STAGES, open_stage: 1 },
    ...{ requested_by: 'ann', input: '{}', created_at: 1, completed_at: 9 },
  });
  const rows = Array.from({ length: total }, (_, position) => ({
    ...{ job_id: id, position, site_id: position % 2 === 0 ? seen : unseen, identifier: `${position}`, attempt: 1 },
    ...{ state: position < FAILED ? 'failed' : 'succeeded', stage: position === total - 1 ? 1 : 0, completed_at: 9 },
  }));
  await knex.batchInsert('job_items', rows, 500);
}

describe('jobs with many items', () => {
  let knex: Knex;
  let jobs: JobReadModel;
  let sites: number[];
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    jobs = new JobReadModel(knex);
    sites = [await storeSite(knex, 'a.example'), await storeSite(knex, 'b.example')];
    for (const [id, total] of Object.entries(SIZES)) await seedJob(knex, id, total, sites);
  });

  it('when jobs have thousands of items, then each statement counts those of few jobs', async () => {
    const scope = scopeWithin([{ clients: [], tags: [], sites: sites.slice(0, 1) }]);
    for (const [limited, share, failed] of [
      [ALL_SITES, 1, FAILED],
      [scope, 0.5, Math.ceil(FAILED / 2)],
    ] as const) {
      const { items } = await jobs.list(limited, {}, ALL);
      assert.deepEqual(
        Object.fromEntries(items.map(({ id, total }) => [id, total])),
        Object.fromEntries(Object.entries(SIZES).map(([id, total]) => [id, total * share])),
      );
      const counts = await jobs.stageCounts(limited, items);
      // The last item of each job has an odd position, so the limited caller does not see it.
      for (const [id, total] of Object.entries(SIZES))
        assert.deepEqual(
          counts.get(id)?.map((stage) => [stage.total, stage.failed]),
          [
            [share === 1 ? total - 1 : total / 2, failed],
            [share === 1 ? 1 : 0, 0],
          ],
          id,
        );
      const sent = await recordStatements(knex, () => jobs.stageCounts(limited, items));
      // Two ranges of the large job, one of the middle ones each, and the small job with one of these.
      assert.equal(sent.filter((sql) => sql.includes('verdict')).length, 4);
    }
  });
});
