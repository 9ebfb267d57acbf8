import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { withoutModule } from '../../support/modules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import {
  addBucket,
  addTask,
  createClientWithBucket,
  editTask,
  readBucket,
  readTask,
  requestRefusal,
  runTimer,
} from '../../support/time-tracker.ts';
import { OwnerLockRepository } from '../../../src/domains/time-tracker/owner-lock-repository.ts';
import { whileAnotherWrites } from '../../support/limited-writes.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/time-tracker';
const START = '2026-11-20T09:00:00Z';

describe('time tracker tasks', () => {
  const clock = new ManualClock(START);
  let world: World;
  let client: number;
  let bucket: number;
  let site: number;
  before(async () => {
    world = await startWorld({ overrides: { clock } });
    ({ client, bucket } = await createClientWithBucket(world, 'Harbour Bakery'));
    site = (await seedSite(world, { clientId: client })).id;
  });
  beforeEach(() => clock.set(START));
  after(() => world.close());

  const task = async (fields: object = {}): Promise<number> =>
    (await addTask(world, { title: 'Work', client_id: client, ...fields })).id;

  /** Adds a stopped task with this number of seconds. */
  async function worked(seconds: number, fields: object = {}): Promise<number> {
    const id = await task(fields);
    await runTimer(world, id, 'start');
    await runTimer(world, id, 'pause');
    await editTask(world, id, { elapsed_seconds: seconds });
    await runTimer(world, id, 'stop');
    return id;
  }

  it('when a task is added, then the response has all fields as sent', async () => {
    const { site_url: url, ...record } = await addTask(world, {
      title: ' Fix the form ',
      description: 'It loses files.',
      client_id: client,
      site_id: site,
      bucket_id: bucket,
      timer_mode: 'count_down',
      payment_status: 'draft',
      task_date: '2026-11-18',
    });
    assert.match(url, /^https:/);
    assert.deepEqual(record, {
      id: record.id,
      title: 'Fix the form',
      description: 'It loses files.',
      client_id: client,
      client_name: 'Harbour Bakery',
      site_id: site,
      bucket_id: bucket,
      bucket_title: "Harbour Bakery's hours",
      status: 'idle',
      payment_status: 'draft',
      timer_mode: 'count_down',
      billable: true,
      hourly_price: 80,
      hourly_price_source: 'bucket',
      currency: 'USD',
      elapsed_seconds: 0,
      billed_seconds: null,
      duration: '00:00:00',
      remaining_seconds: 36_000,
      over_budget: false,
      total_price: 0,
      total_price_text: '$0.00',
      task_date: '2026-11-18',
      started_at: null,
      paused_at: null,
      stopped_at: null,
      operator: '',
      created_at: START,
      updated_at: START,
    });
  });

  it('when a client, site or bucket is unknown or does not match, then the error names it', async () => {
    const other = await createClient(world, 'Other');
    const foreign = (await seedSite(world)).id;
    const away = (await addBucket(world, { title: 'Away', hours: 1, clients: [other] })).id;
    const add = (status: number, fields: object) =>
      requestRefusal(world, status, 'POST', '/tasks/add', { title: 'a', client_id: client, ...fields });
    const fieldOf = async (fields: object) => (await add(400, fields)).data.errors[0].path.replace('body.', '');
    assert.equal((await add(404, { client_id: 9999 })).code, 'svc_client_not_found');
    assert.equal((await add(404, { site_id: 9999 })).code, 'svc_site_not_found');
    assert.equal((await add(404, { bucket_id: 9999 })).code, 'svc_bucket_not_found');
    assert.equal(await fieldOf({ site_id: foreign }), 'site_id');
    assert.equal(await fieldOf({ bucket_id: away }), 'bucket_id');
    assert.equal(await fieldOf({ timer_mode: 'count_down' }), 'timer_mode');
    assert.equal(await fieldOf({ task_date: '2026-02-30' }), 'task_date');
    assert.equal(await fieldOf({ hourly_price: 1.123456789 }), 'hourly_price');
    await world.request('PUT', `${BASE}/buckets/${away}/edit`, { body: { clients: [client], status: 'archived' } });
    assert.equal(await fieldOf({ bucket_id: away }), 'bucket_id');
    assert.equal(
      (await requestRefusal(world, 404, 'PUT', '/tasks/9999/edit', { title: 'a' })).code,
      'svc_task_not_found',
    );
  });

  it('when it is a new day in the local time zone, then a new task has the local date', async () => {
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { timezone_string: 'Pacific/Auckland' } });
    const { task_date: day } = await addTask(world, { title: 'Late', client_id: client });
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { timezone_string: null } });
    assert.equal(day, '2026-11-20');
    clock.set('2026-11-20T12:00:00Z');
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { timezone_string: 'Pacific/Auckland' } });
    const { task_date: next } = await addTask(world, { title: 'Late', client_id: client });
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { timezone_string: null } });
    assert.equal(next, '2026-11-21');
  });

  it('when elapsed seconds are edited, then a correction entry is added and the price recalculated', async () => {
    const id = await worked(3600, { bucket_id: bucket });
    const before = (await readBucket(world, bucket)).seconds_used;
    const { total_price: price, billed_seconds: billed } = await editTask(world, id, { elapsed_seconds: 1800 });
    assert.deepEqual([price, billed], [40, 1800]);
    assert.equal((await readBucket(world, bucket)).seconds_used, before - 1800);
    const { entries } = await readTask(world, id);
    assert.deepEqual(
      entries.map(({ kind, seconds }: Record<string, unknown>) => [kind, seconds]),
      [
        ['correction', -1800],
        ['correction', 3600],
        ['timer', 0],
      ],
    );
  });

  it('when the timer runs, then client, site, bucket and time are locked, but the title is not', async () => {
    const id = await task();
    await runTimer(world, id, 'start');
    for (const body of [{ bucket_id: bucket }, { site_id: site }, { client_id: 1 + client }, { elapsed_seconds: 9 }])
      assert.equal((await requestRefusal(world, 409, 'PUT', `/tasks/${id}/edit`, body)).code, 'svc_timer_running');
    assert.equal((await editTask(world, id, { title: 'Other work' })).title, 'Other work');
    await runTimer(world, id, 'stop');
  });

  it('when a task is billed, then its time and price are locked, and it cannot be deleted', async () => {
    const id = await worked(60);
    await editTask(world, id, { payment_status: 'paid' });
    for (const body of [{ elapsed_seconds: 9 }, { hourly_price: 3 }, { billable: false }, { bucket_id: bucket }])
      assert.equal((await requestRefusal(world, 409, 'PUT', `/tasks/${id}/edit`, body)).code, 'svc_task_billed');
    assert.equal((await requestRefusal(world, 409, 'DELETE', `/tasks/${id}/delete`)).code, 'svc_task_billed');
    await editTask(world, id, { payment_status: 'unbilled', description: null });
    await editTask(world, id, { elapsed_seconds: 9 });
  });

  it('when a task moves to another client, then its site and bucket are removed', async () => {
    const id = await task({ site_id: site, bucket_id: bucket, timer_mode: 'count_down' });
    const other = await createClient(world, 'Heir');
    const moved = await editTask(world, id, { client_id: other });
    assert.deepEqual(
      [moved.client_name, moved.site_id, moved.site_url, moved.bucket_id, moved.timer_mode],
      ['Heir', null, '', null, 'count_up'],
    );
  });

  it('when a task is not billable, then its price is 0 and the bucket is not used', async () => {
    const before = (await readBucket(world, bucket)).seconds_used;
    const { total_price: price, billed_seconds: billed } = await readTask(
      world,
      await worked(7200, { bucket_id: bucket, billable: false }),
    );
    assert.deepEqual([price, billed], [0, 7200]);
    assert.equal((await readBucket(world, bucket)).seconds_used, before);
  });

  it('when a task is deleted, then its entries are deleted and the bucket gets its time back', async () => {
    const before = (await readBucket(world, bucket)).seconds_used;
    const id = await worked(600, { bucket_id: bucket });
    assert.equal((await readBucket(world, bucket)).seconds_used, before + 600);
    const { body } = await world.request('DELETE', `${BASE}/tasks/${id}/delete`);
    assert.equal(body.data.elapsed_seconds, 600);
    assert.equal((await readBucket(world, bucket)).seconds_used, before);
    assert.deepEqual(await world.container.database.knex('time_entries').where({ task_id: id }).select('id'), []);
    const running = await task();
    await runTimer(world, running, 'start');
    await world.request('DELETE', `${BASE}/tasks/${running}/delete`);
    await runTimer(world, await task(), 'start');
    const { body: left } = await world.request('GET', `${BASE}?status=running`);
    await runTimer(world, left.data[0].id, 'stop');
  });

  it('when an edit has an outdated ETag, then it is rejected; running time does not count as a change', async () => {
    const id = await task();
    await runTimer(world, id, 'start');
    const tagOf = async () => String((await world.request('GET', `${BASE}/tasks/${id}`)).headers['etag']);
    const seen = await tagOf();
    clock.set('2026-11-20T10:00:00Z');
    assert.notEqual(await tagOf(), seen, 'what is shown has changed');
    const edit = (title: string, expect: number) =>
      world.request('PUT', `${BASE}/tasks/${id}/edit`, { body: { title }, headers: { 'if-match': seen }, expect });
    await edit('first', 200);
    assert.equal((await edit('second', 412)).body.code, 'svc_precondition_failed');
    await runTimer(world, id, 'stop');
  });

  it('when a task moves to another client while its old one is deleted, then it belongs to the new one', async () => {
    const gone = await createClient(world, 'Closed Mill');
    const id = await task({ client_id: gone });
    const { knex } = world.container.database;
    await whileAnotherWrites(
      knex,
      (trx) => trx('time_tasks').where({ id }).update({ client_id: client, client_name: 'Harbour Bakery' }),
      () => knex.transaction((trx) => new OwnerLockRepository(trx).storeClientName(gone)),
    );
    const { client_id: owner, client_name: name } = await readTask(world, id);
    assert.deepEqual([owner, name], [client, 'Harbour Bakery']);
  });

  it('when client or site are deleted, then their tasks keep the last name and URL', async () => {
    const gone = await createClient(world, 'Old Mill');
    const place = await seedSite(world, { clientId: gone });
    const own = (await addBucket(world, { title: 'Mill', hours: 5, clients: [gone] })).id;
    const id = await worked(900, { client_id: gone, site_id: place.id, bucket_id: own });
    const { site_url: url } = await readTask(world, id);
    await world.request('DELETE', `/api/v2/sites/${place.id}/remove`);
    const running = await task({ client_id: gone });
    await runTimer(world, running, 'start');
    await world.ability('update-client-v1', { client_id_or_email: gone, name: 'The Mill' });
    await world.request('DELETE', `/api/v2/clients/${gone}/remove`);
    const left = await readTask(world, id);
    assert.deepEqual(
      [left.client_id, left.client_name, left.site_id, left.site_url, left.billed_seconds],
      [null, 'The Mill', null, url, 900],
    );
    const { usage, clients } = await readBucket(world, own);
    assert.deepEqual([usage, clients], [[{ client_id: null, seconds_used: 900 }], []]);
    clock.set('2026-11-20T09:01:00Z');
    assert.equal((await runTimer(world, running, 'stop')).elapsed_seconds, 60);
  });

  it('when the module is off, then its routes return 404', async () => {
    await withoutModule(world, 'time-tracker', async () => {
      assert.equal((await requestRefusal(world, 404, 'GET', '')).code, 'svc_module_not_available');
    });
  });

  it('when a task changes, then the change log has an entry', async () => {
    const id = await worked(60, { title: 'Logged', site_id: site });
    await editTask(world, id, { title: 'Logged again' });
    await world.request('DELETE', `${BASE}/tasks/${id}/delete`);
    const { body } = await world.request('GET', `/api/v2/sites/${site}/non-svc-changes?source=dashboard&per_page=7`);
    assert.deepEqual(
      (body.data as { type: string }[]).map(({ type }) => type),
      ['task.deleted', 'task.updated', 'timer.stopped', 'task.updated', 'timer.paused', 'timer.started', 'task.added'],
    );
  });

  it('when a start is retried with its idempotency key, then the timer starts once', async () => {
    const id = await task();
    const headers = { 'idempotency-key': 'start-once' };
    for (let call = 0; call < 2; call++) await world.request('POST', `${BASE}/tasks/${id}/start`, { headers });
    assert.equal((await readTask(world, id)).entries_total, 1);
    await runTimer(world, id, 'stop');
  });

  it('when a viewer calls, then reads succeed and changes are rejected', async () => {
    const id = await task();
    await world.request('GET', BASE, { as: 'viewer' });
    for (const [method, path] of [
      ['POST', 'start'],
      ['DELETE', 'delete'],
    ] as const)
      await world.request(method, `${BASE}/tasks/${id}/${path}`, { as: 'viewer', expect: 403 });
  });

  describe('lists', () => {
    let ours: number;
    let ids: number[];
    before(async () => {
      clock.set(START);
      const made = await createClientWithBucket(world, 'Lister');
      ours = made.client;
      const place = (await seedSite(world, { clientId: ours })).id;
      const fields = [
        { title: 'b first', task_date: '2026-11-03', site_id: place },
        { title: 'A second', task_date: '2026-11-01', billable: false },
        { title: 'c third', task_date: '2026-11-02', bucket_id: made.bucket, timer_mode: 'count_down' },
      ];
      ids = [];
      for (const [index, each] of fields.entries()) {
        clock.time += 1000;
        ids.push(await worked((3 - index) * 60, { client_id: ours, ...each }));
      }
      await editTask(world, ids[0] ?? 0, { payment_status: 'sent' });
      ids.push(await task({ client_id: ours, title: 'd fourth', task_date: '2026-11-04' }));
    });

    const listed = async (query: string, path = ''): Promise<number[]> => {
      const { body } = await world.request('GET', `${BASE}${path}?${query}`);
      assert.equal(body.total >= body.data.length, true);
      return (body.data as { id: number }[]).map(({ id }) => ids.indexOf(id));
    };

    it('when tasks are filtered, then only the matching tasks are listed', async () => {
      const cases: [string, number[]][] = [
        ['', [3, 0, 2, 1]],
        ['status=idle', [3]],
        ['status=stopped&order=asc', [1, 2, 0]],
        ['payment_status=sent', [0]],
        ['billable=false', [1]],
        ['billable=true&status=stopped', [0, 2]],
        ['date_from=2026-11-02&date_to=2026-11-03', [0, 2]],
        ['search=SECOND', [1]],
        ['orderby=title&order=asc', [1, 0, 2, 3]],
        ['orderby=created_at&order=asc', [0, 1, 2, 3]],
        ['orderby=elapsed_seconds', [0, 1, 2, 3]],
        ['per_page=2&page=2', [2, 1]],
      ];
      for (const [query, expected] of cases) {
        assert.deepEqual(await listed(query, `/clients/${ours}/tasks`), expected, query);
        assert.deepEqual(await listed(`client_id=${ours}&${query}`), expected, query);
      }
      const { site_id: place } = await readTask(world, ids[0] ?? 0);
      const { bucket_id: hours } = await readTask(world, ids[2] ?? 0);
      assert.deepEqual(await listed('', `/sites/${place}/tasks`), [0]);
      assert.deepEqual(await listed(`site_id=${place}`), [0]);
      assert.deepEqual(await listed(`bucket_id=${hours}`), [2]);
      assert.equal(
        (await requestRefusal(world, 400, 'GET', '?date_from=2026-02-30')).data.errors[0].path,
        'query.date_from',
      );
      assert.equal((await requestRefusal(world, 404, 'GET', '/clients/9999/tasks')).code, 'svc_client_not_found');
    });

    it('when a timer runs, then the order by elapsed seconds includes the running time', async () => {
      const last = ids[3] ?? 0;
      clock.set('2026-11-20T10:00:00Z');
      await runTimer(world, last, 'start');
      assert.deepEqual(await listed('orderby=elapsed_seconds', `/clients/${ours}/tasks`), [0, 1, 2, 3]);
      clock.set('2026-11-20T10:02:30Z');
      assert.deepEqual(await listed('orderby=elapsed_seconds', `/clients/${ours}/tasks`), [0, 3, 1, 2]);
      await runTimer(world, last, 'pause');
    });

    it('when there are more tasks, then the list needs no more SQL statements', async () => {
      // The first task counts down, so the list also reads the remaining time of its bucket.
      const list = (perPage: number) => () =>
        world.request('GET', `${BASE}?orderby=created_at&order=asc&per_page=${perPage}`);
      assert.equal(await countStatements(world, list(500)), await countStatements(world, list(1)));
    });
  });
});
