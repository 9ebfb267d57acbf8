import assert from 'node:assert/strict';
import { CURRENT, EARLIER, TestMcpClient, connectMcp } from '../support/mcp.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { insertSites } from '../support/sites.ts';
import { startWorld } from '../support/world.ts';

const SITES = 300;
/** The smallest number of sites that becomes a job. */
const QUEUED = { site_ids_or_domains: Array.from({ length: 201 }, (_, index) => index + 1) };

describe('jobs over MCP', () => {
  let fleet: ServiceFleet;
  before(async () => (fleet = await ServiceFleet.start({ sites: SITES })));
  after(() => fleet.close());

  /** On MariaDB two processes share the fleet, and either can respond. */
  const connect = (index: number, revision: typeof CURRENT | typeof EARLIER): Promise<TestMcpClient> => {
    const service = fleet.services[index % fleet.services.length] ?? assert.fail();
    return TestMcpClient.connect(service.url, service.authorization, { revision });
  };

  it('when a client syncs 300 sites, then it gets progress notifications and the result', async () => {
    const mcp = await connect(0, CURRENT);
    const told: { progress: number; total?: number }[] = [];
    const answer = await mcp.run(
      'sync-sites-v1',
      {},
      {},
      { onprogress: (progress) => told.push(progress), timeout: 240_000 },
    );
    assert.equal(answer.isError, false, answer.text);
    const { queued, sites_queued, job } = answer.data;
    assert.deepEqual([queued, sites_queued], [true, SITES]);
    assert.deepEqual([job.status, job.processed, job.succeeded, job.failed], ['completed', SITES, SITES, 0]);
    const steps = told.map(({ progress }) => progress);
    assert.ok(steps.length > 1 && steps.at(-1) === SITES, String(steps));
    assert.ok(steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? 0)));
    assert.equal(told.at(-1)?.total, SITES);
    await mcp.close();
  });

  it('when a client requests no progress, then it gets the job ID, and any process returns the status', async () => {
    const mcp = await connect(0, CURRENT);
    const { data, notes } = await mcp.run('sync-sites-v1', QUEUED);
    assert.ok(data.queued && !data.job);
    assert.match(notes, /get-batch-job-status-v1 with job_id/);
    const beside = await connect(1, CURRENT);
    const { data: job } = await beside.call('read_ability', {
      name: 'get-batch-job-status-v1',
      input: { job_id: data.job_id },
    });
    assert.equal(job.total, QUEUED.site_ids_or_domains.length);
    await beside.close();
    await mcp.close();
    await fleet.finishedJob(0, data.job_id);
  });

  for (const revision of [CURRENT, EARLIER])
    it(`when a client of revision ${revision} stops waiting, then the job continues`, async () => {
      const mcp = await connect(0, revision);
      const waiting = new AbortController();
      const call = mcp.run('sync-sites-v1', QUEUED, {}, { signal: waiting.signal, onprogress: () => waiting.abort() });
      await assert.rejects(call);
      const { data } = await fleet.request(0, 'GET', '/api/v2/jobs?per_page=1');
      const ended = await fleet.finishedJob(0, data[0].job_id);
      assert.deepEqual([ended.data.status, ended.data.succeeded], ['completed', QUEUED.site_ids_or_domains.length]);
      await mcp.close();
    });
});

describe('slow job over MCP', () => {
  it('when the deadline passes, then the response has the job ID and the job continues', async () => {
    const world = await startWorld({ env: { SITEFLEET_INLINE_DEADLINE: '1' } });
    try {
      // No process runs the job.
      await world.container.queue.stop(0);
      await insertSites(world.container.database.knex, 201);
      const mcp = await connectMcp(world);
      const { data, notes, isError } = await mcp.run('sync-sites-v1', {}, {}, { onprogress: () => undefined });
      assert.deepEqual([isError, data.queued, data.job.status], [false, true, 'queued']);
      assert.match(notes, /The job continues in the background/);
      await mcp.close();
    } finally {
      await world.close();
    }
  });
});
