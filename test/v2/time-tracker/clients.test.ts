import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { ManualClock } from '../../support/schedules.ts';
import { countStatements } from '../../support/statements.ts';
import {
  addBucket,
  addTask,
  createClientWithBucket,
  editTask,
  readTask,
  requestRefusal,
  runTimer,
} from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/time-tracker';

describe('client time', () => {
  const clock = new ManualClock('2026-11-20T09:00:00Z');
  let world: World;
  before(async () => (world = await startWorld({ overrides: { clock } })));
  after(() => world.close());

  const read = async (path: string) => (await world.request('GET', `${BASE}${path}`)).body.data;
  const settle = async (client: number, body: object) =>
    (await world.request('PUT', `${BASE}/clients/${client}/settings/edit`, { body })).body.data;
  const setAll = (body: object) => world.request('PUT', `${BASE}/settings/edit`, { body });

  /** Adds a stopped task with this number of seconds. */
  async function worked(client: number, seconds: number, fields: object = {}) {
    const { id } = await addTask(world, { title: 'Work', client_id: client, ...fields });
    await runTimer(world, id, 'start');
    await runTimer(world, id, 'pause');
    await editTask(world, id, { elapsed_seconds: seconds });
    return runTimer(world, id, 'stop');
  }

  it('when a client has tasks, then its row has the total and the unbilled time and amount', async () => {
    const { client, bucket } = await createClientWithBucket(world, 'Ann');
    await worked(client, 3600, { bucket_id: bucket });
    const { id: sent } = await worked(client, 1800, { bucket_id: bucket });
    await editTask(world, sent, { payment_status: 'sent' });
    await worked(client, 900, { billable: false });
    const { id: open } = await addTask(world, { title: 'Open', client_id: client, bucket_id: bucket });
    await runTimer(world, open, 'start');
    clock.time += 600_000;
    const row = await read('/clients?search=ANN');
    assert.deepEqual(row, [
      {
        id: client,
        name: 'Ann',
        email: '',
        tasks_total: 4,
        tasks_in_progress: 1,
        tasks_completed: 3,
        seconds_total: 6900,
        seconds_unbilled: 3600,
        amount_unbilled: 80,
        currency: 'USD',
        amounts_unbilled: [{ currency: 'USD', amount: 80 }],
        buckets_count: 1,
        hours_remaining: 8.5,
        running_task_id: open,
        last_activity: '2026-11-20T09:00:00Z',
      },
    ]);
    const whole = await read(`/clients/${client}`);
    assert.deepEqual(whole.tasks.map(({ id }: { id: number }) => id)[0], open);
    assert.deepEqual(
      whole.buckets.map(({ id }: { id: number }) => id),
      [bucket],
    );
    assert.equal(whole.settings.client_id, client);
    await runTimer(world, open, 'stop');
  });

  it('when clients are filtered by has_running, then only the matching clients are listed', async () => {
    const [busy, idle] = [await createClient(world, 'Filter busy'), await createClient(world, 'Filter idle')];
    const { id } = await addTask(world, { title: 'a', client_id: busy });
    await runTimer(world, id, 'start');
    const ids = async (query: string) =>
      ((await read(`/clients?search=filter&${query}`)) as { id: number }[]).map((client) => client.id);
    assert.deepEqual(await ids(''), [busy, idle]);
    assert.deepEqual(await ids('has_running=true'), [busy]);
    assert.deepEqual(await ids('has_running=false'), [idle]);
    assert.deepEqual(await ids('per_page=1&page=2'), [idle]);
    await runTimer(world, id, 'stop');
    assert.equal((await requestRefusal(world, 404, 'GET', '/clients/9999')).code, 'svc_client_not_found');
  });

  it('when there are more clients, then the list needs no more SQL statements', async () => {
    const list = (perPage: number) => () => world.request('GET', `${BASE}/clients?per_page=${perPage}`);
    assert.equal(await countStatements(world, list(500)), await countStatements(world, list(1)));
  });

  it('when general settings change, then the next stop uses them, and stopped tasks keep their values', async () => {
    const client = await createClient(world, 'Rounded');
    await setAll({ default_hourly_price: 60, rounding_enabled: 1, rounding_mode: 'up', rounding_minutes: 30 });
    const first = await worked(client, 60);
    assert.deepEqual([first.billed_seconds, first.total_price, first.hourly_price_source], [1800, 30, 'settings']);
    const texts = {
      currency: 'EUR',
      currency_position: 'right_space',
      decimal_separator: ',',
      thousand_separator: '.',
    };
    await setAll({
      ...texts,
      decimals: 3,
      rounding_mode: 'nearest',
      rounding_minutes: 1,
      default_hourly_price: 1234.5678,
    });
    const second = await worked(client, 3599);
    assert.deepEqual(
      [second.billed_seconds, second.total_price, second.total_price_text],
      [3600, 1234.568, '1.234,568\u00a0€'],
    );
    const kept = await readTask(world, first.id);
    assert.deepEqual([kept.total_price, kept.currency, kept.total_price_text], [30, 'USD', '30,00\u00a0$']);
    const { amount_unbilled, amounts_unbilled } = await read(`/clients/${client}`);
    assert.deepEqual(
      [amount_unbilled, amounts_unbilled],
      [
        1234.568,
        [
          { currency: 'EUR', amount: 1234.568 },
          { currency: 'USD', amount: 30 },
        ],
      ],
    );
    const nulls = Object.fromEntries(Object.keys(await read('/settings')).map((name) => [name, null]));
    await setAll(nulls);
    assert.deepEqual(await read('/settings'), (await world.request('GET', '/api/v2/settings/time-tracker')).body.data);
  });

  it('when nobody has set the decimals, then prices have those of their currency', async () => {
    await setAll({ currency: 'JPY', default_hourly_price: 1234.5678 });
    const client = await createClient(world, 'Yen');
    assert.deepEqual(
      [(await read('/settings')).decimals, (await settle(client, { override: 0 })).effective.decimals],
      [0, 0],
    );
    const yen = await worked(client, 3600);
    assert.deepEqual([yen.total_price, yen.total_price_text, yen.hourly_price], [1235, '¥1,235', 1234.5678]);
    const bucket = await addBucket(world, { title: 'Fils', hours: 9, clients: [client], currency: 'KWD' });
    const fils = await worked(client, 3600, { bucket_id: bucket.id });
    assert.deepEqual([fils.total_price, fils.total_price_text], [1234.568, 'KWD1,234.568']);
    const own = await settle(client, { override: 1, currency: 'EUR' });
    assert.deepEqual([own.decimals, own.effective.decimals], [null, 2]);
    assert.equal((await worked(client, 3600)).total_price, 1234.57);
    await setAll({ decimals: 1 });
    assert.deepEqual(
      [(await worked(client, 3600)).total_price, (await readTask(world, yen.id)).total_price],
      [1234.6, 1235],
    );
    await setAll({ currency: null, default_hourly_price: null, decimals: null });
    assert.equal((await read('/settings')).decimals, 2);
  });

  it('when a client has its own settings, then they apply while override is on', async () => {
    const { client, bucket } = await createClientWithBucket(world, 'Own');
    const before = await settle(client, { timer_mode: 'count_down', default_hourly_price: 99, currency: 'CHF' });
    assert.deepEqual([before.override, before.effective.currency, before.default_hourly_price], [0, 'USD', 99]);
    const after = await settle(client, {
      override: 1,
      default_bucket_id: bucket,
      rounding_enabled: 1,
      rounding_mode: 'down',
      rounding_minutes: 10,
      decimals: 0,
      currency_position: 'left_space',
      thousand_separator: '',
      decimal_separator: ',',
    });
    assert.deepEqual(after.effective, {
      timer_mode: 'count_down',
      currency: 'CHF',
      currency_position: 'left_space',
      thousand_separator: '',
      decimal_separator: ',',
      decimals: 0,
      rounding_enabled: 1,
      rounding_mode: 'down',
      rounding_minutes: 10,
      default_hourly_price: 99,
    });
    const inBucket = await addTask(world, { title: 'a', client_id: client });
    assert.deepEqual([inBucket.bucket_id, inBucket.timer_mode, inBucket.hourly_price], [bucket, 'count_down', 80]);
    const without = await worked(client, 3599, { bucket_id: null });
    assert.deepEqual(
      [
        without.timer_mode,
        without.hourly_price,
        without.hourly_price_source,
        without.billed_seconds,
        without.total_price_text,
      ],
      ['count_up', 99, 'client', 3000, 'CHF\u00a083'],
    );
    await world.request('PUT', `${BASE}/buckets/${bucket}/edit`, { body: { status: 'archived' } });
    assert.equal((await addTask(world, { title: 'b', client_id: client })).bucket_id, null, 'it was put away');
    const cleared = await settle(client, { default_hourly_price: null, override: 0, default_bucket_id: null });
    assert.deepEqual([cleared.default_hourly_price, cleared.default_bucket_id, cleared.currency], [null, null, 'CHF']);
  });

  it('when settings of a client are invalid or outdated, then the request is rejected', async () => {
    const { client } = await createClientWithBucket(world, 'Wrong');
    const foreign = (await addBucket(world, { title: 'Foreign', hours: 1 })).id;
    const send = (status: number, body: object) =>
      requestRefusal(world, status, 'PUT', `/clients/${client}/settings/edit`, body);
    const fieldOf = async (body: object) => (await send(400, body)).data.errors[0].path;
    assert.equal(await fieldOf({ thousand_separator: '.' }), 'body.thousand_separator');
    assert.equal(await fieldOf({ currency: 'QQQ' }), 'body.currency');
    assert.equal(await fieldOf({ default_hourly_price: 1.123456789 }), 'body.default_hourly_price');
    assert.equal(await fieldOf({ default_bucket_id: foreign }), 'body.default_bucket_id');
    assert.equal((await send(404, { default_bucket_id: 9999 })).code, 'svc_bucket_not_found');
    assert.equal((await requestRefusal(world, 404, 'GET', '/clients/9999/settings')).code, 'svc_client_not_found');
    const { headers } = await world.request('GET', `${BASE}/clients/${client}/settings`);
    const seen = { 'if-match': String(headers['etag']) };
    const path = `${BASE}/clients/${client}/settings/edit`;
    await world.request('PUT', path, { body: { decimals: 3 }, headers: seen });
    await world.request('PUT', path, { body: { decimals: 4 }, headers: seen, expect: 412 });
  });
});
