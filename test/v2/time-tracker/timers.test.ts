import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { ManualClock } from '../../support/schedules.ts';
import {
  addBucket,
  addTask,
  editTask,
  readBucket,
  readTask,
  requestRefusal,
  runTimer,
} from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const START = '2026-11-20T09:00:00Z';

describe('task timers', () => {
  const clock = new ManualClock(START);
  let world: World;
  let client: number;
  let bucket: number;
  before(async () => {
    world = await startWorld({ overrides: { clock } });
    client = await createClient(world, 'Harbour Bakery');
    bucket = (await addBucket(world, { title: 'Hours', hours: 2, price: 80, clients: [client] })).id;
  });
  beforeEach(() => clock.set(START));
  afterEach(async () => {
    const { body } = await world.request('GET', '/api/v2/time-tracker?status=running');
    for (const { id } of body.data) await runTimer(world, id, 'stop');
  });
  after(() => world.close());

  const task = async (fields: object = {}): Promise<number> =>
    (await addTask(world, { title: 'Work', client_id: client, ...fields })).id;

  it('when a timer is started, paused, resumed and stopped, then the entries add up to its time', async () => {
    const id = await task({ bucket_id: bucket });
    await runTimer(world, id, 'start');
    clock.set('2026-11-20T09:30:00.900Z');
    const running = await readTask(world, id);
    assert.deepEqual([running.status, running.elapsed_seconds, running.total_price], ['running', 1800, 40]);
    const paused = await runTimer(world, id, 'pause');
    assert.deepEqual(
      [paused.status, paused.paused_at, paused.billed_seconds],
      ['paused', '2026-11-20T09:30:00Z', null],
    );
    clock.set('2026-11-20T11:00:00Z');
    const continued = await runTimer(world, id, 'start');
    assert.deepEqual([continued.started_at, continued.paused_at], [START, null]);
    clock.set('2026-11-20T11:15:00Z');
    const stopped = await runTimer(world, id, 'stop');
    assert.deepEqual(
      [stopped.status, stopped.elapsed_seconds, stopped.billed_seconds, stopped.duration, stopped.total_price],
      ['stopped', 2700, 2700, '00:45:00', 60],
    );
    assert.deepEqual([stopped.stopped_at, stopped.operator], ['2026-11-20T11:15:00Z', 'admin']);
    const { entries, entries_total: total } = await readTask(world, id);
    assert.deepEqual(
      [total, entries.map(({ seconds, started_at }: { seconds: number; started_at: string }) => [started_at, seconds])],
      [
        2,
        [
          ['2026-11-20T11:00:00Z', 900],
          [START, 1800],
        ],
      ],
    );
    const { seconds_used, usage } = await readBucket(world, bucket);
    assert.deepEqual([seconds_used, usage], [2700, [{ client_id: client, seconds_used: 2700 }]]);
  });

  it('when the state does not allow a transition, then the error has its own code', async () => {
    const id = await task();
    const code = async (verb: string) => (await requestRefusal(world, 409, 'POST', `/tasks/${id}/${verb}`)).code;
    for (const verb of ['pause', 'stop']) assert.equal(await code(verb), 'svc_timer_not_running');
    await runTimer(world, id, 'start');
    assert.equal(await code('start'), 'svc_timer_already_running');
    await runTimer(world, id, 'pause');
    assert.equal(await code('pause'), 'svc_timer_not_running');
    await runTimer(world, id, 'stop');
    for (const verb of ['pause', 'stop']) assert.equal(await code(verb), 'svc_timer_not_running');
    await editTask(world, id, { payment_status: 'sent' });
    assert.equal(await code('start'), 'svc_task_billed');
    for (const verb of ['start', 'pause', 'stop'])
      assert.equal((await requestRefusal(world, 404, 'POST', `/tasks/99999/${verb}`)).code, 'svc_task_not_found');
  });

  it('when a stopped task is restarted, then the bucket gets its time back', async () => {
    const { id: own } = await addBucket(world, { title: 'Own', hours: 1, clients: [client] });
    const id = await task({ bucket_id: own });
    await runTimer(world, id, 'start');
    clock.set('2026-11-20T09:10:00Z');
    await runTimer(world, id, 'stop');
    assert.equal((await readBucket(world, own)).seconds_used, 600);
    const again = await runTimer(world, id, 'start');
    assert.deepEqual([again.status, again.billed_seconds, again.stopped_at], ['running', null, null]);
    assert.equal((await readBucket(world, own)).seconds_used, 0);
    clock.set('2026-11-20T09:15:00Z');
    await runTimer(world, id, 'stop');
    assert.equal((await readBucket(world, own)).seconds_used, 900);
  });

  it('when a countdown reaches 0, then the timer continues and the task is over budget', async () => {
    const { id: own } = await addBucket(world, { title: 'Small', hours: 0.5, clients: [client] });
    const id = await task({ bucket_id: own, timer_mode: 'count_down' });
    await runTimer(world, id, 'start');
    clock.set('2026-11-20T09:20:00Z');
    const before = await readTask(world, id);
    assert.deepEqual([before.remaining_seconds, before.over_budget], [600, false]);
    clock.set('2026-11-20T09:40:00Z');
    const after = await readTask(world, id);
    assert.deepEqual([after.remaining_seconds, after.over_budget, after.status], [0, true, 'running']);
    await runTimer(world, id, 'stop');
    const left = await readBucket(world, own);
    assert.deepEqual([left.seconds_remaining, left.status], [-600, 'exhausted']);
  });

  it('when the clock is set back, then no entry is negative or starts before the last one ended', async () => {
    const id = await task();
    clock.set('2026-11-20T10:00:00Z');
    await runTimer(world, id, 'start');
    clock.set('2026-11-20T09:00:00Z');
    assert.equal((await readTask(world, id)).elapsed_seconds, 0);
    await runTimer(world, id, 'pause');
    await runTimer(world, id, 'start');
    clock.set('2026-11-20T10:05:00Z');
    const stopped = await runTimer(world, id, 'stop');
    assert.equal(stopped.elapsed_seconds, 300);
    const { entries } = await readTask(world, id);
    assert.deepEqual(
      entries.map(({ started_at, ended_at, seconds }: Record<string, unknown>) => [started_at, ended_at, seconds]),
      [
        ['2026-11-20T10:00:00Z', '2026-11-20T10:05:00Z', 300],
        ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z', 0],
      ],
    );
  });

  it('when a user starts a second timer, then it is rejected unless switch pauses the first', async () => {
    const [first, second] = [await task(), await task()];
    await runTimer(world, first, 'start');
    const refused = await requestRefusal(world, 409, 'POST', `/tasks/${second}/start`);
    assert.deepEqual([refused.code, refused.data.task_id], ['svc_timer_other_running', first]);
    clock.set('2026-11-20T09:07:00Z');
    await runTimer(world, second, 'start', '?switch=1');
    const other = await readTask(world, first);
    assert.deepEqual([other.status, other.elapsed_seconds], ['paused', 420]);
    await world.request('POST', `/api/v2/time-tracker/tasks/${first}/start`, { as: 'writer', expect: 409 });
    await runTimer(world, second, 'pause');
    await world.request('POST', `/api/v2/time-tracker/tasks/${first}/start`, { as: 'writer' });
  });

  it('when a user starts 50 timers at once, then one starts and 49 are rejected', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => task()));
    const statuses = await Promise.all(
      ids.map(async (id) => (await world.agent().post(`/api/v2/time-tracker/tasks/${id}/start`)).status),
    );
    assert.deepEqual(statuses.sort(), [200, ...Array<number>(49).fill(409)]);
    const { body } = await world.request('GET', '/api/v2/time-tracker?status=running');
    assert.equal(body.total, 1);
    const open = await world.container.database.knex('time_entries').whereNull('ended_at').pluck('task_id');
    assert.deepEqual(open, [body.data[0].id]);
  });

  it('when a user switches between 20 timers at once, then one of them runs and the others are paused', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => task()));
    const statuses = await Promise.all(
      ids.map(async (id) => (await world.agent().post(`/api/v2/time-tracker/tasks/${id}/start?switch=1`)).status),
    );
    assert.deepEqual([...new Set(statuses)], [200]);
    const { body } = await world.request('GET', '/api/v2/time-tracker?status=running');
    assert.equal(body.total, 1);
  });
});
