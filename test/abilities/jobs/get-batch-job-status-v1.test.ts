import assert from 'node:assert/strict';
import { ManualClock } from '../../support/schedules.ts';
import { newestJob } from '../../support/jobs.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'get-batch-job-status-v1';
const NOW = '2026-11-22T08:00:00Z';

describe(NAME, () => {
  let world: World;
  let jobId: string;
  const call = (input: object, options: CallOptions = {}) => world.ability(NAME, input, options);

  before(async () => {
    world = await startWorld({ sites: 2, overrides: { clock: new ManualClock(NOW) } });
    world.site(1).fault = { kind: 'refuse' };
    await syncSites(world);
    jobId = (await newestJob(world, 'sync')).job_id;
  });
  after(() => world.close());

  it('when a job is finished, then the response has its counters and the error of each failed site', async () => {
    const { errors, ...status } = await call({ job_id: jobId });
    assert.deepEqual(status, {
      job_id: jobId,
      type: 'sync',
      status: 'completed',
      progress: 100,
      processed: 2,
      total: 2,
      succeeded: 1,
      partial: 0,
      failed: 1,
      unknown: 0,
      not_begun: 0,
      started_at: NOW,
      completed_at: NOW,
    });
    assert.deepEqual(
      errors.map(({ code, site_id }: Record<string, unknown>) => [code, site_id]),
      [['svc_site_unreachable', world.siteId(1)]],
    );
  });

  it('when the call uses POST or GET, then the response is the same', async () => {
    assert.deepEqual(await call({ job_id: jobId }, { method: 'POST' }), await call({ job_id: jobId }));
  });

  it('when the job is unknown, then the error is svc_job_not_found', async () => {
    assert.equal((await call({ job_id: 'sync_none' }, { expect: 404 })).code, 'svc_job_not_found');
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [{}, { job_id: '' }, { job_id: 'x'.repeat(65) }, { job_id: jobId, page: 1 }])
      assert.equal((await call(input, { expect: 400 })).code, 'ability_invalid_input');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    await call({ job_id: jobId }, { as: 'viewer' });
    assert.equal((await call({ job_id: jobId }, { as: 'writer', expect: 403 })).code, 'svc_permission_denied');
    await call({ job_id: jobId }, { as: 'nobody', expect: 401 });
  });
});
