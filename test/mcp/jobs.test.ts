import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CURRENT, EARLIER, TestMcpClient, connectMcp } from '../support/mcp.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { insertSites } from '../support/sites.ts';
import { startWorld, type World } from '../support/world.ts';

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
    assert.ok(notes.includes(`"get-batch-job-status-v1" and input {"job_id":"${data.job_id}"}`), notes);
    const beside = await connect(1, CURRENT);
    const { data: job } = await beside.read('get-batch-job-status-v1', { job_id: data.job_id });
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

/** Collects garbage a few times, because a deadline that is collected never passes. */
async function withGarbageCollection<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const collections = [300, 600, 900].map((ms) => setTimeout(collect, ms));
  return work().finally(() => collections.forEach(clearTimeout));
}

describe('slow job over MCP', () => {
  it('when the deadline passes, then the response has the job ID and the job continues', async () => {
    const world = await startWorld({ env: { SITEFLEET_INLINE_DEADLINE: '1' } });
    try {
      // No process runs the job.
      await world.container.queue.stop(0);
      await insertSites(world.container.database.knex, 201);
      const mcp = await connectMcp(world);
      const { data, notes, isError } = await withGarbageCollection(() =>
        mcp.run('sync-sites-v1', {}, {}, { onprogress: () => undefined }),
      );
      assert.deepEqual([isError, data.queued, data.job.status], [false, true, 'queued']);
      assert.match(notes, /^The job \S+ continues in the background/);
      await mcp.close();
    } finally {
      await world.close();
    }
  });
});

describe('slow read of many sites over MCP', () => {
  it('when a site does not respond within the deadline, then progress is reported at once and the others are returned', async () => {
    const world = await startWorld({ sites: 2, env: { SITEFLEET_INLINE_DEADLINE: '1' } });
    let release = (): void => undefined;
    try {
      const until = new Promise<void>((resolve) => (release = resolve));
      world.site(0).fault = { kind: 'delay', ms: { until } };
      const mcp = await connectMcp(world);
      for (const operation of ['posts_list', 'comments_list', 'users_list']) {
        const startedAt = performance.now();
        const seenAfterMs: number[] = [];
        const onprogress = (): void => void seenAfterMs.push(performance.now() - startedAt);
        const { data, isError, text } = await mcp.read(operation, {}, { onprogress });
        assert.equal(isError, false, text);
        assert.ok((seenAfterMs[0] ?? Infinity) < 1_000, `${operation}: ${String(seenAfterMs)}`);
        assert.deepEqual(Object.keys(data.data), [world.site(1).url]);
        const [{ code, message, site_id }] = data.errors;
        assert.deepEqual([code, site_id], ['svc_site_unreachable', world.siteId(0)]);
        assert.match(message, /within 1 seconds/);
      }
      await mcp.close();
    } finally {
      release();
      await world.close();
    }
  });
});

describe('call over few sites over MCP', () => {
  let world: World;
  let mcp: TestMcpClient;
  before(async () => {
    world = await startWorld({ sites: 3 });
    mcp = await connectMcp(world);
  });
  after(async () => {
    await mcp.close();
    await world.close();
  });

  interface ProgressSeen {
    afterMs: number;
    progress: number;
    total?: number;
    message?: string;
  }

  /** Calls a tool and records its progress. */
  async function watched(operation: string, input: object) {
    const seen: ProgressSeen[] = [];
    const startedAt = performance.now();
    const onprogress = (step: Omit<ProgressSeen, 'afterMs'>): void =>
      void seen.push({ ...step, afterMs: performance.now() - startedAt });
    const answer = await mcp.run(operation, input, {}, { onprogress, timeout: 60_000 });
    return { answer, seen, tookMs: performance.now() - startedAt };
  }

  it('when a site responds slowly, then progress is reported from the first second until the end', async () => {
    world.site(0).fault = { kind: 'delay', ms: 2_000 };
    const { answer, seen } = await watched('sites_sync_all', { body: { include: world.siteIds } });
    world.site(0).fault = null;
    assert.equal(answer.data.total, 3, answer.text);
    assert.equal(answer.structured.job, undefined);
    assert.ok((seen[0]?.afterMs ?? Infinity) < 1_000, JSON.stringify(seen));
    assert.ok(
      seen.some(({ progress, total, afterMs }) => progress >= 2 && total === 3 && afterMs < 2_000),
      JSON.stringify(seen),
    );
    const steps = seen.map(({ progress }) => progress);
    assert.ok(
      steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? 0)),
      String(steps),
    );
  });

  for (const operation of ['sites_sync_all', 'sync-sites-v1'])
    it(`when a site of ${operation} hangs, then the call returns the other results and the job before 30 seconds`, async function () {
      this.timeout(60_000);
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => (release = resolve));
      world.site(0).fault = { kind: 'delay', ms: { until } };
      const input = operation === 'sites_sync_all' ? { body: { include: world.siteIds } } : {};
      const { answer, tookMs } = await watched(operation, input).finally(() => {
        world.site(0).fault = null;
        release();
      });
      assert.ok(tookMs > 24_000 && tookMs < 30_000, `${tookMs} ms`);
      assert.equal(answer.isError, false);
      const [{ code, job_id }] = answer.data.errors;
      assert.equal(code, 'svc_still_running');
      const { job } = answer.structured;
      assert.deepEqual([job.job_id, job.processed, job.total, job.completed_at], [job_id, 2, 3, null]);
      assert.ok(answer.notes.includes(`"get-batch-job-status-v1" and input {"job_id":"${job_id}"}`), answer.notes);
      const ended = await world.finishedJob(job_id);
      assert.deepEqual([ended.data.status, ended.data.succeeded], ['completed', 3]);
    });
});
