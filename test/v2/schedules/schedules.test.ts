import assert from 'node:assert/strict';
import { DAY } from '../../../src/shared/clock.ts';
import { editSettings, ManualClock, readSchedule, runSchedule, runDueAt } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/schedules';

describe('v2 schedules', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:20:00Z');
    world = await startWorld({ sites: 3, overrides: { clock } });
  });
  afterEach(() => world.close());

  const scheduled = async (type: string) =>
    (await world.request('GET', `/api/v2/jobs?type=${type}`)).body.data as Record<string, unknown>[];

  it('when schedules are listed, then they are sorted by name in a constant number of SQL statements', async () => {
    const { body } = await world.request('GET', BASE, { as: 'viewer' });
    const names = body.data.map(({ name }: { name: string }) => name) as string[];
    assert.deepEqual(names, [...names].sort());
    for (const record of body.data) assert.deepEqual(await readSchedule(world, record.name), record);
    assert.ok((await world.countStatements(() => world.request('GET', BASE))) < 8);
    const selected = (await world.request('GET', `${BASE}/daily-sync?_fields=name,active`)).body.data;
    assert.deepEqual(selected, { name: 'daily-sync', active: true });
  });

  it('when a schedule has never run, then it has a next run and no last run', async () => {
    assert.deepEqual(await readSchedule(world, 'daily-sync'), {
      name: 'daily-sync',
      description: 'Syncs every connected site `frequency_daily_update` times a day.',
      active: true,
      pattern: '0 0,12 * * *',
      time_zone: 'UTC',
      next_run: '2026-11-22T12:00:00Z',
      last_run: null,
      last_skipped: null,
      last_job_id: null,
      status_url: null,
      last_error: null,
    });
  });

  it('when the daily sync is due, then its job syncs every connected site once', async () => {
    await world.request('POST', `/api/v2/sites/${world.siteId(1)}/suspend`);
    await runDueAt(world, clock, 'daily-sync', '2026-11-22T08:20:00Z');
    const before = world.fleet.sites.map((site) => site.countOf('stats'));
    const [jobId = '', ...more] = await runDueAt(world, clock, 'daily-sync', '2026-11-22T12:00:01Z');
    assert.deepEqual(more, []);
    const job = await world.finishedJob(jobId);
    assert.deepEqual(
      [job.data.type, job.data.requested_by, job.data.succeeded, job.data.total],
      ['sync', 'schedule:daily-sync', 2, 2],
    );
    assert.deepEqual(
      world.fleet.sites.map((site, index) => site.countOf('stats') - (before[index] ?? 0)),
      [1, 0, 1],
    );
    const record = await readSchedule(world, 'daily-sync');
    assert.deepEqual(
      [record.last_run, record.next_run, record.last_job_id],
      ['2026-11-22T12:00:01Z', '2026-11-23T00:00:00Z', jobId],
    );
    const { pathname } = new URL(record.status_url as string);
    assert.equal((await world.request('GET', pathname)).body.data.job_id, jobId);
    const { body } = await world.request('GET', '/api/v2/jobs?requested_by=schedule:daily-sync');
    assert.deepEqual([body.total, body.data[0].job_id], [1, jobId]);
    assert.equal((await world.request('GET', '/api/v2/jobs?requested_by=nobody')).body.total, 0);
  });

  it('when time, frequency or time zone of the daily sync change, then its next run changes immediately', async () => {
    await runDueAt(world, clock, 'daily-sync', '2026-11-22T08:20:00Z');
    const general = { time_daily_update: '6:30', frequency_daily_update: 3, timezone_string: 'Europe/Berlin' };
    await editSettings(world, 'general', general);
    const { pattern, time_zone, next_run } = await readSchedule(world, 'daily-sync');
    assert.deepEqual([pattern, time_zone, next_run], ['30 6,14,22 * * *', 'Europe/Berlin', '2026-11-22T13:30:00Z']);
    assert.deepEqual(
      await runDueAt(world, clock, 'daily-sync', '2026-11-22T12:00:00Z'),
      [],
      'the old time is not kept',
    );
    assert.equal((await runDueAt(world, clock, 'daily-sync', '2026-11-22T13:30:00Z')).length, 1);
  });

  it('when the service was down for three days, then one missed sync runs', async () => {
    await runDueAt(world, clock, 'daily-sync', '2026-11-22T08:20:00Z');
    await runDueAt(world, clock, 'daily-sync', '2026-11-25T13:00:00Z');
    assert.equal((await scheduled('sync')).length, 1);
    assert.equal((await readSchedule(world, 'daily-sync')).next_run, '2026-11-26T00:00:00Z');
  });

  it('when a run is started by hand, then the response has its job, and the next run stays', async () => {
    await runDueAt(world, clock, 'daily-sync', '2026-11-22T08:20:00Z');
    const { data } = await runSchedule(world, 'daily-sync');
    assert.deepEqual([data.type, data.requested_by, data.succeeded], ['sync', 'admin', 3]);
    const { next_run, last_job_id } = await readSchedule(world, 'daily-sync');
    assert.deepEqual([next_run, last_job_id], ['2026-11-22T12:00:00Z', data.job_id]);
  });

  it('when the job of the last run is active, then another run is rejected until the job is cancelled', async () => {
    for (const site of world.fleet.sites) site.fault = { kind: 'hang' };
    const first = (await world.request('POST', `${BASE}/daily-sync/run`)).body.data;
    const { body } = await world.request('POST', `${BASE}/daily-sync/run`, { expect: 409 });
    assert.deepEqual([body.code, body.data.job_id], ['svc_schedule_running', first.job_id]);
    await world.request('DELETE', `/api/v2/jobs/${first.job_id}`);
    assert.equal((await world.finishedJob(first.job_id as string)).data.status, 'cancelled');
    for (const site of world.fleet.sites) site.fault = null;
    await world.request('POST', `${BASE}/daily-sync/run`);
  });

  it('when there is nothing to do, then the response has no job', async () => {
    for (const id of world.siteIds) await world.request('POST', `/api/v2/sites/${id}/suspend`);
    const { body } = await world.request('POST', `${BASE}/daily-sync/run`);
    assert.deepEqual(body, { success: 1, message: 'The run has finished without a job.', data: null });
  });

  it('when the right is missing or the name is unknown, then a run is rejected', async () => {
    for (const as of ['viewer', 'reader'] as const)
      await world.request('POST', `${BASE}/daily-sync/run`, { as, expect: 403 });
    for (const [method, path] of [
      ['GET', `${BASE}/nope`],
      ['POST', `${BASE}/nope/run`],
    ] as const)
      assert.equal((await world.request(method, path, { expect: 404 })).body.code, 'svc_schedule_not_found');
  });

  it('when a caller is limited, then it sees when schedules run, but no results of runs, and cannot run them', async () => {
    const limit = { sites: [world.siteId(0)] };
    const { token } = (
      await world.request('POST', '/api/v2/rest-api/add-key', { body: { scope: 'read_write', limit } })
    ).body.data;
    const me = { as: 'nobody' as const, headers: { authorization: `Bearer ${token}` } };
    await runDueAt(world, clock, 'daily-sync', '2026-11-22T08:20:00Z');
    const before = (await world.request('GET', BASE, me)).body.data as Record<string, unknown>[];
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/suspend`);
    const [jobId = ''] = await runDueAt(world, clock, 'daily-sync', '2026-11-22T12:00:01Z');
    await world.finishedJob(jobId);
    const unlimited = await readSchedule(world, 'daily-sync');
    assert.equal(unlimited.last_job_id, jobId);
    const after = (await world.request('GET', BASE, me)).body.data as Record<string, unknown>[];
    const untimed = (records: Record<string, unknown>[]) => records.map((each) => ({ ...each, next_run: null }));
    assert.deepEqual(untimed(after), untimed(before));
    const { data } = (await world.request('GET', `${BASE}/daily-sync`, me)).body;
    assert.deepEqual(data, {
      ...unlimited,
      ...{ last_run: null, last_skipped: null, last_job_id: null, status_url: null, last_error: null },
    });
    assert.deepEqual((await world.request('GET', `/api/v2/jobs?requested_by=schedule:daily-sync`, me)).body.data, []);
    const { body } = await world.request('POST', `${BASE}/daily-sync/run`, { ...me, expect: 403 });
    assert.equal(body.code, 'svc_outside_limits');
  });

  it('when the retention runs, then jobs older than 30 days and responses older than a day are deleted', async () => {
    const headers = { 'idempotency-key': 'once' };
    await world.request('POST', '/api/v2/tags/add', { headers, body: { name: 'old' } });
    const old = await runSchedule(world, 'daily-sync');
    clock.time += 29 * DAY;
    await world.request('POST', '/api/v2/tags/add', { headers: { 'idempotency-key': 'new' }, body: { name: 'new' } });
    const young = await runSchedule(world, 'daily-sync');
    clock.time += DAY - 1000;
    const kept = async (table: string) => (await world.container.database.knex(table).select('*')).length;
    const first = await runSchedule(world, 'retention');
    assert.equal(first.data.type, 'prune');
    const deletedOf = (job: typeof first, name: string) =>
      job.items.find(({ identifier }: { identifier: string }) => identifier === name).result.deleted as number;
    assert.deepEqual([deletedOf(first, 'jobs'), deletedOf(first, 'idempotent-calls')], [0, 1]);
    clock.time += 3000;
    const second = await runSchedule(world, 'retention');
    assert.deepEqual([deletedOf(second, 'jobs'), deletedOf(second, 'idempotent-calls')], [4, 1]);
    assert.equal(await kept('idempotent_calls'), 0);
    await world.request('GET', `/api/v2/jobs/${old.data.job_id}`, { expect: 404 });
    await world.request('GET', `/api/v2/jobs/${young.data.job_id}`);
  });

  it('when there are more old jobs than fit in a batch, then the retention deletes them in batches', async () => {
    const { knex } = world.container.database;
    const { id: _, ...row } = await knex('jobs')
      .insert(oldJob('first', clock.time - 31 * DAY))
      .then(() => knex('jobs').where({ id: 'first' }).first());
    await knex('jobs').insert(Array.from({ length: 130 }, (__, index) => ({ ...row, id: `old-${index}` })));
    const job = await runSchedule(world, 'retention');
    const jobs = job.items.find(({ identifier }: { identifier: string }) => identifier === 'jobs');
    assert.equal(jobs.result.deleted, 131);
  });
});

const oldJob = (id: string, at: number) => ({
  id,
  kind: 'sync',
  state: 'completed',
  total: 0,
  processed: 0,
  succeeded: 0,
  failed: 0,
  requested_by: 'admin',
  input: '{}',
  created_at: at,
  started_at: at,
  completed_at: at,
});
