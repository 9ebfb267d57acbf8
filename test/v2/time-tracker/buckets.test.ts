import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { ManualClock } from '../../support/schedules.ts';
import { countStatements } from '../../support/statements.ts';
import { addBucket, addTask, editTask, readBucket, requestRefusal, runTimer } from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/time-tracker';

describe('time buckets', () => {
  const clock = new ManualClock('2026-11-20T09:00:00Z');
  let world: World;
  let client: number;
  let other: number;
  before(async () => {
    world = await startWorld({ overrides: { clock } });
    client = await createClient(world, 'Harbour Bakery');
    other = await createClient(world, 'City Museum');
  });
  beforeEach(() => clock.set('2026-11-20T09:00:00Z'));
  after(() => world.close());

  const add = (body: object = {}) => addBucket(world, { title: 'Hours', hours: 10, clients: [client], ...body });
  const edit = async (id: number, body: object) =>
    (await world.request('PUT', `${BASE}/buckets/${id}/edit`, { body })).body.data;

  /** Uses this number of hours of a bucket today. */
  async function use(bucket: number, hours: number, of = client): Promise<number> {
    const { id } = await addTask(world, { title: 'Work', client_id: of, bucket_id: bucket });
    await runTimer(world, id, 'start');
    await runTimer(world, id, 'pause');
    await editTask(world, id, { elapsed_seconds: hours * 3600 });
    await runTimer(world, id, 'stop');
    return id as number;
  }

  it('when a bucket is added, then the response has all fields as sent', async () => {
    const made = await add({
      title: ' Care plan ',
      description: 'Monthly.',
      hours: 1.5,
      price: 85.5,
      currency: 'EUR',
      recurrence: 'monthly',
      carry_over: true,
      period_start: '2026-01-31',
      clients: [other, client],
    });
    assert.deepEqual(made, {
      id: made.id,
      title: 'Care plan',
      description: 'Monthly.',
      hours: 1.5,
      seconds_total: 5400,
      seconds_carried: 0,
      seconds_used: 0,
      seconds_remaining: 5400,
      hours_used: 0,
      hours_remaining: 1.5,
      price: 85.5,
      currency: 'EUR',
      recurrence: 'monthly',
      carry_over: true,
      period_start: '2026-10-31',
      period_end: '2026-11-29',
      clients: [
        { id: other, name: 'City Museum' },
        { id: client, name: 'Harbour Bakery' },
      ],
      usage: [],
      status: 'active',
      tasks_count: 0,
      created_at: '2026-11-20T09:00:00Z',
      updated_at: '2026-11-20T09:00:00Z',
    });
  });

  it('when a field is invalid, then the error names the field', async () => {
    const fieldOf = async (body: object) => {
      const { data } = await requestRefusal(world, 400, 'POST', '/buckets/add', { title: 'a', hours: 1, ...body });
      return data.errors[0].path;
    };
    assert.equal(await fieldOf({ hours: 1.005 }), 'body.hours');
    assert.equal(await fieldOf({ currency: 'QQQ' }), 'body.currency');
    assert.equal(await fieldOf({ period_start: '2026-02-30' }), 'body.period_start');
    assert.equal(await fieldOf({ price: -1 }), 'body.price');
    const unknown = await requestRefusal(world, 404, 'POST', '/buckets/add', { title: 'a', hours: 1, clients: [9999] });
    assert.equal(unknown.code, 'svc_client_not_found');
  });

  it('when several clients use a bucket, then it has the usage of each client', async () => {
    const { id } = await add({ clients: [client, other] });
    await use(id, 2);
    await use(id, 1.25, other);
    await use(id, 0.5);
    const { usage, hours_used: used, hours_remaining: left, tasks_count: tasks } = await readBucket(world, id);
    assert.deepEqual(usage, [
      { client_id: client, seconds_used: 9000 },
      { client_id: other, seconds_used: 4500 },
    ]);
    assert.deepEqual([used, left, tasks], [3.75, 6.25, 3]);
  });

  it('when a period ends, then the bucket is refilled, and carry_over adds the remaining hours', async () => {
    const [plain, carrying] = [
      (await add({ recurrence: 'monthly', period_start: '2026-11-01' })).id,
      (await add({ recurrence: 'monthly', period_start: '2026-11-01', carry_over: true })).id,
    ];
    for (const id of [plain, carrying]) await use(id, 4);
    const stands = async (id: number) => {
      const { seconds_used, seconds_carried, hours_remaining, period_start } = await readBucket(world, id);
      return [period_start, seconds_used / 3600, seconds_carried / 3600, hours_remaining];
    };
    clock.set('2026-12-01T00:00:00Z');
    assert.deepEqual(await stands(plain), ['2026-12-01', 0, 0, 10]);
    assert.deepEqual(await stands(carrying), ['2026-12-01', 0, 6, 16]);
    await use(carrying, 20);
    assert.deepEqual(await stands(carrying), ['2026-12-01', 20, 6, -4]);
    assert.equal((await readBucket(world, carrying)).status, 'exhausted');
    clock.set('2027-01-15T12:00:00Z');
    assert.deepEqual(await stands(carrying), ['2027-01-01', 0, 0, 10], 'what was overdrawn is not carried on');
    await edit(carrying, { hours: 12 });
    clock.set('2027-02-01T12:00:00Z');
    assert.deepEqual(await stands(carrying), ['2027-02-01', 0, 12, 24]);
  });

  it('when the recurrence changes, then the carried hours stay, and no period is counted twice', async () => {
    const { id } = await add({ recurrence: 'monthly', period_start: '2026-10-01', carry_over: true });
    clock.set('2026-12-18T09:00:00Z');
    await use(id, 3);
    const weekly = await edit(id, { recurrence: 'weekly' });
    assert.deepEqual(
      [weekly.period_start, weekly.seconds_carried / 3600, weekly.hours_remaining],
      ['2026-12-17', 10, 17],
    );
    clock.set('2026-12-24T09:00:00Z');
    assert.equal((await readBucket(world, id)).hours_remaining, 27);
  });

  it('when a task of a past period is reduced, then the hours return to the current period', async () => {
    const { id } = await add({ recurrence: 'weekly', period_start: '2026-11-16', carry_over: true });
    const task = await use(id, 3);
    clock.set('2026-11-24T09:00:00Z');
    assert.equal((await readBucket(world, id)).hours_remaining, 17);
    await editTask(world, task, { elapsed_seconds: 3600 });
    assert.equal((await readBucket(world, id)).hours_remaining, 19);
  });

  it('when a price is edited, then open tasks have the new price and stopped tasks keep theirs', async () => {
    const { id } = await add({ price: 50 });
    const stopped = await use(id, 1);
    const { id: open } = await addTask(world, { title: 'Open', client_id: client, bucket_id: id });
    await edit(id, { price: 60 });
    const priceOf = async (task: number) =>
      (await world.request('GET', `${BASE}/tasks/${task}`)).body.data.hourly_price as number;
    assert.deepEqual([await priceOf(stopped), await priceOf(open)], [50, 60]);
    await edit(id, { price: null });
    assert.equal(await priceOf(open), 0);
  });

  it('when a bucket has tasks, then it can be archived but not deleted', async () => {
    const { id } = await add();
    const { id: open } = await addTask(world, { title: 'Open', client_id: client, bucket_id: id });
    assert.equal((await requestRefusal(world, 409, 'DELETE', `/buckets/${id}/delete`)).code, 'svc_in_use');
    assert.equal((await requestRefusal(world, 409, 'PUT', `/buckets/${id}/edit`, { clients: [] })).code, 'svc_in_use');
    assert.equal((await edit(id, { status: 'archived' })).status, 'archived');
    await world.request('DELETE', `${BASE}/tasks/${open}/delete`);
    assert.deepEqual((await edit(id, { clients: null })).clients, []);
    await world.request('DELETE', `${BASE}/buckets/${id}/delete`);
    assert.equal((await requestRefusal(world, 404, 'GET', `/buckets/${id}`)).code, 'svc_bucket_not_found');
  });

  it('when an edit has an outdated ETag, then it is rejected; tasks do not change the ETag', async () => {
    const { id } = await add();
    const { headers } = await world.request('GET', `${BASE}/buckets/${id}`);
    await use(id, 1);
    const send = (expect: number) =>
      world.request('PUT', `${BASE}/buckets/${id}/edit`, {
        body: { title: `Hours ${expect}` },
        headers: { 'if-match': String(headers['etag']) },
        expect,
      });
    await send(200);
    await send(412);
  });

  it('when buckets are listed, then they are filtered, sorted by title and paged', async () => {
    const owner = await createClient(world, 'Lister');
    const titles = ['d archived', 'A monthly', 'c used up', 'b plain'];
    const ids: number[] = [];
    for (const title of titles) {
      const fields = title === 'A monthly' ? { recurrence: 'monthly' } : {};
      ids.push((await addBucket(world, { title, hours: 1, clients: [owner], ...fields })).id);
    }
    await use(ids[2] ?? 0, 1, owner);
    await edit(ids[0] ?? 0, { status: 'archived' });
    const cases: [string, number[]][] = [
      ['', [1, 3, 2, 0]],
      ['status=active', [1, 3]],
      ['status=exhausted', [2]],
      ['status=archived', [0]],
      ['recurrence=monthly', [1]],
      ['recurrence=none&status=active', [3]],
      ['search=USED', [2]],
      ['per_page=3&page=2', [0]],
      ['status=active&per_page=1&page=2', [3]],
    ];
    for (const [query, expected] of cases)
      for (const path of [`/buckets?client_id=${owner}&`, `/clients/${owner}/buckets?`]) {
        const { body } = await world.request('GET', `${BASE}${path}${query}`);
        assert.deepEqual(
          (body.data as { id: number }[]).map(({ id }) => ids.indexOf(id)),
          expected,
          query,
        );
      }
  });

  it('when there are more buckets, then the list needs no more SQL statements', async () => {
    for (const status of ['any', 'active']) {
      const list = (perPage: number) => () =>
        world.request('GET', `${BASE}/buckets?status=${status}&per_page=${perPage}`);
      assert.equal(await countStatements(world, list(500)), await countStatements(world, list(1)), status);
    }
  });
});
