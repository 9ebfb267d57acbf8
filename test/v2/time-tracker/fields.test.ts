import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { emptyFields } from '../../support/empty-fields.ts';
import { ManualClock } from '../../support/schedules.ts';
import { addBucket, addTask, editTask, runTimer } from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/time-tracker';
const NOT_STARTED = ['billed_seconds', 'operator', 'paused_at', 'started_at', 'stopped_at'];
const BUCKET = {
  title: 'Care plan',
  description: 'Ten hours a month.',
  hours: 10,
  price: 80,
  recurrence: 'monthly',
  carry_over: true,
  period_start: '2026-11-01',
};
const SETTINGS = {
  override: 1,
  timer_mode: 'count_down',
  currency: 'CHF',
  currency_position: 'right',
  thousand_separator: '.',
  decimal_separator: ',',
  decimals: 3,
  rounding_enabled: 1,
  rounding_mode: 'up',
  rounding_minutes: 60,
  default_hourly_price: 99,
};

describe('time tracker fields', () => {
  const clock = new ManualClock('2026-11-20T09:00:00Z');
  let world: World;
  let site: number;
  let client: number;
  let bucket: number;
  let task: number;
  before(async () => {
    world = await startWorld({ sites: 1, overrides: { clock } });
    site = world.siteId(0);
    client = await createClient(world, 'Harbour Bakery', {
      client_email: 'office@harbour.example',
      selected_sites: [site],
    });
  });
  after(() => world.close());

  const read = async (path: string) => (await world.request('GET', `${BASE}${path}`)).body.data;

  it('when a bucket and client settings have all fields, then a read returns all of them', async () => {
    const made = await addBucket(world, { ...BUCKET, clients: [client] });
    assert.deepEqual(emptyFields(made), ['usage']);
    bucket = made.id;
    const body = { ...SETTINGS, default_bucket_id: bucket };
    const { body: written } = await world.request('PUT', `${BASE}/clients/${client}/settings/edit`, { body });
    const { effective, client_id, ...own } = await read(`/clients/${client}/settings`);
    assert.deepEqual([client_id, own], [client, body]);
    const { override, ...rules } = SETTINGS;
    assert.deepEqual([override, effective], [1, rules]);
    assert.deepEqual(written.data, { effective, client_id, ...own });
  });

  it('when a task is added, started, paused and stopped, then each step fills its fields', async () => {
    const fields = { title: 'Fix the form', description: 'It loses attachments.', client_id: client, site_id: site };
    const added = await addTask(world, { ...fields, task_date: '2026-11-20' });
    assert.deepEqual([emptyFields(added), added.bucket_id, added.timer_mode], [NOT_STARTED, bucket, 'count_down']);
    task = added.id;
    const started = await runTimer(world, task, 'start');
    assert.deepEqual(emptyFields(started), ['billed_seconds', 'paused_at', 'stopped_at']);
    assert.deepEqual(emptyFields(await read(`/tasks/${task}`)), [
      'billed_seconds',
      'entries[].ended_at',
      'paused_at',
      'stopped_at',
    ]);
    clock.time += 1_800_000;
    assert.deepEqual(emptyFields(await runTimer(world, task, 'pause')), ['billed_seconds', 'stopped_at']);
    await editTask(world, task, { elapsed_seconds: 1900 });
    assert.deepEqual(emptyFields(await runTimer(world, task, 'stop')), ['paused_at']);
    assert.deepEqual(emptyFields(await editTask(world, task, { payment_status: 'draft' })), ['paused_at']);
  });

  it('when tasks are stopped, paused and running, then every read has each field filled at least once', async () => {
    for (const verbs of [['start', 'pause'], ['start']] as const) {
      const { id } = await addTask(world, { title: 'More', description: 'More of it.', client_id: client });
      for (const verb of verbs) await runTimer(world, id, verb);
    }
    const { id: unbilled } = await addTask(world, { title: 'Mend', client_id: client, site_id: site });
    await runTimer(world, unbilled, 'start', '?switch=1');
    clock.time += 60_000;
    await runTimer(world, unbilled, 'stop');
    const { data: tasks } = (await world.request('GET', `${BASE}?status=paused`)).body;
    await runTimer(world, tasks[0].id, 'start');
    for (const path of ['', `/clients/${client}/tasks`, `/clients/${client}`, '/clients', '/buckets'])
      assert.deepEqual(emptyFields(await read(path)), [], path);
    for (const path of [`/clients/${client}/buckets`, `/buckets/${bucket}`])
      assert.deepEqual(emptyFields(await read(path)), [], path);
    const ofSite = await read(`/sites/${site}/tasks`);
    assert.deepEqual(emptyFields(ofSite), ['[].paused_at']);
    assert.deepEqual(emptyFields(await read(`/tasks/${task}`)), ['paused_at']);
  });

  it('when a task or bucket is deleted, then the response has the deleted record', async () => {
    const gone = (await world.request('DELETE', `${BASE}/tasks/${task}/delete`)).body.data;
    assert.deepEqual(emptyFields(gone), ['paused_at']);
    const { body: list } = await world.request('GET', `${BASE}?per_page=500&status=running`);
    for (const { id } of list.data) await runTimer(world, id, 'stop');
    const edited = await world.request('PUT', `${BASE}/buckets/${bucket}/edit`, { body: { hours: 20 } });
    assert.deepEqual(emptyFields(edited.body.data), []);
    const { id } = await addBucket(world, { ...BUCKET, clients: [client] });
    const dropped = (await world.request('DELETE', `${BASE}/buckets/${id}/delete`)).body.data;
    assert.deepEqual(emptyFields(dropped), ['usage']);
  });
});
