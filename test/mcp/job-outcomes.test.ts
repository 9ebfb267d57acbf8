import assert from 'node:assert/strict';
import { JOB_STARTERS } from '../../src/surfaces/mcp/job-outcome.ts';
import { operationCatalogOf } from '../../src/surfaces/mcp/operation-catalog.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { TestMcpClient, connectMcp, type ToolResult } from '../support/mcp.ts';
import { syncSites } from '../support/sites.ts';
import { createTag } from '../support/tags.ts';
import { ALPHA, releaseUpdates, removeItemsWithUpdates } from '../support/updates.ts';
import { startWorld, type World } from '../support/world.ts';

describe('end of a job over MCP', () => {
  let world: World;
  let mcp: TestMcpClient;
  before(async () => {
    world = await startWorld({ sites: 3, overrides: { deadlines: { lookAgainMs: [50] } } });
    await createTag(world, 'first \u202e ring', world.siteId(0));
    mcp = await connectMcp(world);
  });
  after(async () => {
    await mcp.close();
    await world.close();
  });

  const waiting = { onprogress: () => undefined };
  const updateByRings = async (options: object): Promise<ToolResult> => {
    for (const site of world.fleet.sites) {
      removeItemsWithUpdates(site);
      site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
      releaseUpdates(site, { plugins: [ALPHA] });
    }
    await syncSites(world);
    return mcp.run('run-updates-v1', { types: ['plugins'], rings: ['first \u202e ring'] }, {}, options);
  };

  it('when an update by rings stops while the client waits, then the response says how it ended and why', async () => {
    world.site(0).defects.breakingPage.set(ALPHA, 500);
    const { data, structured, notes, isError } = await updateByRings(waiting);
    world.site(0).defects.breakingPage.clear();
    const { status, total, succeeded, partial, failed, unknown, not_begun, stop_reason, rings } = data.job;
    assert.deepEqual(
      [isError, status, total, succeeded, partial, failed, unknown, not_begun],
      [true, 'failed', 3, 0, 1, 0, 0, 2],
    );
    assert.equal(
      stop_reason,
      'After the updates, 1 site is broken by the end of the ring first \u202e ring, and the run stops at 1.',
    );
    assert.deepEqual(
      rings.map(({ state }: { state: string }) => state),
      ['broken', 'not_begun'],
    );
    assert.deepEqual(
      data.item_errors.map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code]),
      [
        [world.siteId(0), 'svc_site_refused'],
        [world.siteId(1), 'svc_ring_stopped'],
        [world.siteId(2), 'svc_ring_stopped'],
      ],
    );
    assert.equal(
      notes,
      `The job ${data.job_id} has ended with the status "failed": of 3 items, 0 succeeded, 1 succeeded in part, ` +
        '0 failed, 0 have an unknown outcome, 2 did not begin. ' +
        'The run was stopped: job.stop_reason says why, and job.rings at which ring. ' +
        'item_errors has the error of each item that did not succeed. ' +
        `read_operation with operation "jobs_get" and input {"path":{"job_id":"${data.job_id}"}} ` +
        'returns the results of the items.',
    );
    const { notice: _, untrusted_data: __, ...trusted } = structured;
    assert.deepEqual([trusted.job.status, trusted.job.partial], ['failed', 1]);
    // Names of rings and messages of sites are data.
    assert.doesNotMatch(JSON.stringify(trusted), /ring first|svc_site_refused|\u202e/);
  });

  it('when the job succeeds while the client waits, then the response has no error', async () => {
    const { data, notes, isError } = await updateByRings(waiting);
    assert.deepEqual(
      [isError, data.job.status, data.job.stop_reason, data.item_errors],
      [false, 'completed', null, []],
    );
    assert.match(notes, /has ended with the status "completed": of 3 items, 3 succeeded, .*0 did not begin\. read_op/);
  });

  it('when a client does not wait, then the response says which call follows the job, and that call works', async () => {
    const { data, notes, structured } = await updateByRings({});
    const [, operation = '', input = ''] =
      /repeat read_operation with operation "([\w-]+)" and input (\{.*?\}) until completed_at/.exec(notes) ?? [];
    assert.equal(structured.job.job_id, data.job_id);
    await world.finishedJob(data.job_id);
    const followed = await mcp.read(operation, JSON.parse(input));
    assert.deepEqual([followed.data.status, followed.data.succeeded], ['completed', 3]);
  });

  it('when a route starts a job and returns its ID in data, then its end is returned too', async () => {
    const { data, notes } = await mcp.run('schedules_run', { path: { name: 'daily-sync' } }, {}, waiting);
    assert.deepEqual([data.job.type, data.job.total, data.job.succeeded], ['sync', 3, 3]);
    assert.ok(data.job.completed_at);
    assert.match(notes, new RegExp(`^The job ${data.data.job_id} has ended with the status "completed"`));
  });

  it('when a credential may not read jobs, then the response says that it cannot follow the job', async () => {
    const permissions = ['sites:read', 'sites:sync', 'updates:run'];
    await world.request('POST', '/api/v2/rest-api/roles/add', { body: { name: 'updater', permissions } });
    await world.request('POST', '/api/v2/rest-api/users/add', { body: { name: 'una', role: 'updater' } });
    const key = { user: 'una', scope: 'read_write', description: 'una' };
    const { token } = (await world.request('POST', '/api/v2/rest-api/add-key', { body: key })).body.data;
    const client = await TestMcpClient.connect(world.url, `Bearer ${token as string}`);
    const { data, notes, isError } = await client.run('run-updates-v1', { rings: ['50%'] }, {}, waiting);
    await client.close();
    assert.deepEqual([isError, data.queued, data.job], [false, true, undefined]);
    assert.match(notes, /This credential cannot follow it: it lacks jobs:read\.$/);
  });

  it('when an operation returns a job in data, then it is known whether the call started the job', () => {
    const operations = operationCatalogOf({ abilities: readContract('abilities'), v2: readContract('v2') });
    const withJob = [...operations.values()].filter(({ effect, output }) => {
      const data = (output() as { properties?: { data?: Schema } }).properties?.data;
      return effect !== 'reads' && data !== undefined && hasJobId(data);
    });
    const others = withJob.map(({ id }) => id).filter((id) => !JOB_STARTERS.has(id));
    // These return the job that they ended, or a report with the job that made it.
    assert.deepEqual(others.sort(), [
      'jobs_cancel',
      'reports_delete',
      'reports_discard',
      'reports_release',
      'reports_revoke_links',
      'reports_send',
    ]);
    assert.equal(withJob.length - others.length, JOB_STARTERS.size);
  });
});

type Schema = { properties?: object } & Partial<Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>>;

const hasJobId = ({ properties = {}, anyOf = [], oneOf = [], allOf = [] }: Schema): boolean =>
  'job_id' in properties || [...anyOf, ...oneOf, ...allOf].some(hasJobId);
