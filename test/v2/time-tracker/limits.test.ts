import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../../support/clients.ts';
import { callerWithin, requestsWithin, type RequestByKey } from '../../support/limited-keys.ts';
import { ManualClock } from '../../support/schedules.ts';
import { deleteSite, seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { addBucket, addTask, readBucket, readTask, runTimer } from '../../support/time-tracker.ts';
import { startWorld, type World } from '../../support/world.ts';

const UNKNOWN = 999_999;
/** Time in which a request reaches a row that a test has locked, in milliseconds. */
const LOCK_WAIT = 300;
const BASE = '/time-tracker';

describe('time tracker of limited callers', () => {
  const clock = new ManualClock('2026-11-20T09:00:00Z');
  let world: World;
  let limited: RequestByKey;
  /** The limit has all sites of `bakery`, and one of the three of `museum`. */
  let [bakery, museum, idle] = [0, 0, 0];
  let [oven, hall, outside] = [0, 0, 0];
  /** Tasks. The first two are visible. */
  let [ofSite, ofClient, ofMuseum, ofOutside] = [0, 0, 0, 0];
  /** Buckets. The first is visible. */
  let [own, shared, theirs] = [0, 0, 0];

  before(async () => {
    world = await startWorld({ overrides: { clock } });
    [bakery, museum, idle] = [
      await createClient(world, 'Bakery'),
      await createClient(world, 'Museum'),
      await createClient(world, 'Idle'),
    ];
    oven = (await seedSite(world, { clientId: bakery })).id;
    hall = (await seedSite(world, { clientId: museum })).id;
    outside = (await seedSite(world, { clientId: museum })).id;
    await seedSite(world, { clientId: museum });
    const bucket = async (title: string, clients: number[]): Promise<number> =>
      (await addBucket(world, { title, hours: 10, price: 80, clients })).id;
    [own, shared, theirs] = [
      await bucket('own', [bakery]),
      await bucket('shared', [bakery, museum]),
      await bucket('theirs', [museum]),
    ];
    const task = async (title: string, client: number, fields: object): Promise<number> =>
      (await addTask(world, { title, client_id: client, bucket_id: null, ...fields })).id;
    ofSite = await task('of the hall', museum, { site_id: hall, bucket_id: theirs, timer_mode: 'count_down' });
    ofClient = await task('of the bakery', bakery, { bucket_id: own });
    ofMuseum = await task('of the museum', museum, {});
    ofOutside = await task('of the outside', museum, { site_id: outside, bucket_id: theirs });
    limited = await requestsWithin(world, { clients: [bakery], sites: [hall] });
  });
  after(() => world.close());

  const refused = async (method: string, path: string, body: object | null = null) =>
    (await limited(method, `${BASE}${path}`, body, 403)).body;
  const outsideBy = (count?: number) => ({ status: 403, ...(count === undefined ? {} : { sites_outside: count }) });
  /** Both calls must fail with 404 and the same body, after as many SQL statements. */
  async function refusedAlike(method: string, paths: [string, string], bodies: [object | null, object | null]) {
    const answers: [body: object, statements: number][] = [];
    for (const n of [0, 1]) {
      let body = {};
      const statements = await countStatements(world, async () => {
        ({ body } = await limited(method, `${BASE}${paths[n] ?? ''}`, bodies[n] ?? null, 404));
      });
      answers.push([body, statements]);
    }
    assert.deepEqual(answers[0], answers[1], `${method} ${paths[0]} ${JSON.stringify(bodies[0])}`);
  }

  it('when tasks are listed and exported, then only the visible ones are, without a bucket that is not', async () => {
    const { body } = await limited('GET', `${BASE}?orderby=title&order=asc`);
    assert.deepEqual(
      body.data.map((task: Record<string, unknown>) => [task['id'], task['client_id'], task['bucket_id']]),
      [
        [ofClient, bakery, own],
        [ofSite, museum, null],
      ],
    );
    assert.equal(body.total, 2);
    assert.equal((await limited('GET', `${BASE}?bucket_id=${theirs}`)).body.total, 0);
    const { data } = (await limited('GET', `${BASE}/tasks/${ofSite}`)).body;
    assert.deepEqual([data.bucket_title, data.remaining_seconds, data.over_budget], ['', null, false]);
    assert.deepEqual([data.timer_mode, data.hourly_price], ['count_down', 0]);
    const csv = String((await limited('GET', `${BASE}/tasks/export`)).body);
    assert.match(csv, /of the bakery/);
    assert.match(csv, /of the hall/);
    assert.doesNotMatch(csv, /of the museum|of the outside|theirs|shared/);
  });

  it('when a task or bucket is not visible, then every call fails like one that does not exist', async () => {
    for (const id of [ofMuseum, ofOutside])
      for (const [method, verb, body] of [
        ['GET', '', null],
        ['PUT', '/edit', { title: 'Mine' }],
        ['PATCH', '/edit', { title: 'Mine' }],
        ['DELETE', '/delete', null],
        ['POST', '/start', null],
        ['POST', '/start?switch=1', null],
        ['POST', '/pause', null],
        ['POST', '/stop', null],
      ] as const)
        await refusedAlike(method, [`/tasks/${id}${verb}`, `/tasks/${UNKNOWN}${verb}`], [body, body]);
    for (const id of [shared, theirs])
      for (const [method, verb, body] of [
        ['GET', '', null],
        ['PUT', '/edit', { title: 'Mine' }],
        ['DELETE', '/delete', null],
      ] as const)
        await refusedAlike(method, [`/buckets/${id}${verb}`, `/buckets/${UNKNOWN}${verb}`], [body, body]);
    assert.equal((await readTask(world, ofOutside)).title, 'of the outside');
    assert.equal((await readBucket(world, shared)).title, 'shared');
  });

  it('when a task would name what the caller does not see, then it fails like one that does not exist', async () => {
    const [add, edit] = ['/tasks/add', `/tasks/${ofSite}/edit`];
    for (const [field, unseen] of [
      ['client_id', idle],
      ['site_id', outside],
      ['bucket_id', theirs],
    ] as const) {
      const named = (id: number) => ({ title: 'New', client_id: museum, site_id: hall, [field]: id });
      await refusedAlike('POST', [add, add], [named(unseen), named(UNKNOWN)]);
      await refusedAlike('PUT', [edit, edit], [{ [field]: unseen }, { [field]: UNKNOWN }]);
    }
    const named = (id: number) => ({ title: 'New', hours: 1, clients: [bakery, id] });
    await refusedAlike('POST', ['/buckets/add', '/buckets/add'], [named(idle), named(UNKNOWN)]);
    const path = `/buckets/${own}/edit`;
    await refusedAlike('PUT', [path, path], [{ clients: [bakery, idle] }, { clients: [bakery, UNKNOWN] }]);
  });

  it('when a task leaves the limit while a change of it waits, then the change fails', async () => {
    const { id } = await addTask(world, { title: 'Leaving', client_id: museum, site_id: hall });
    const trx = await world.container.database.knex.transaction();
    await trx('time_tasks').where({ id }).update({ site_id: outside });
    const edit = limited('PUT', `${BASE}/tasks/${id}/edit`, { title: 'Mine' }, 404);
    await setTimeout(LOCK_WAIT);
    await trx.commit();
    assert.equal((await edit).body.code, 'svc_task_not_found');
    assert.equal((await readTask(world, id)).title, 'Leaving');
  });

  it('when a task or bucket would leave the limit, then it fails with the number of sites outside', async () => {
    const total = (await world.request('GET', `/api/v2${BASE}`)).body.total;
    for (const [method, path, body] of [
      ['POST', '/tasks/add', { title: 'New', client_id: museum }],
      ['PUT', `/tasks/${ofSite}/edit`, { site_id: null }],
      ['PUT', `/tasks/${ofClient}/edit`, { client_id: museum }],
      ['POST', '/buckets/add', { title: 'New', hours: 1, clients: [bakery, museum] }],
      ['PUT', `/buckets/${own}/edit`, { clients: [bakery, museum] }],
    ] as const) {
      const { code, data } = await refused(method, path, body);
      assert.deepEqual([code, data], ['svc_outside_limits', outsideBy(2)], path);
    }
    for (const [method, path, body] of [
      ['POST', '/buckets/add', { title: 'New', hours: 1 }],
      ['PUT', `/buckets/${own}/edit`, { title: 'Gone' }],
    ] as const) {
      const fields = method === 'PUT' ? { ...body, clients: null } : body;
      if (method === 'PUT') await limited('PUT', `${BASE}/tasks/${ofClient}/edit`, { bucket_id: null });
      const { code, data } = await refused(method, path, fields);
      assert.deepEqual([code, data], ['svc_outside_limits', outsideBy()], path);
    }
    assert.equal((await world.request('GET', `/api/v2${BASE}`)).body.total, total);
    assert.deepEqual((await readTask(world, ofSite)).site_id, hall);
    assert.deepEqual((await readBucket(world, own)).clients, [{ id: bakery, name: 'Bakery' }]);
    assert.equal((await readBucket(world, own)).title, 'own');
  });

  it('when a limited caller works on a visible task, then its bucket stays, also if it is not visible', async () => {
    const edit = async (body: object) => (await limited('PUT', `${BASE}/tasks/${ofSite}/edit`, body)).body.data;
    assert.equal((await edit({ title: 'of the hall, mine', bucket_id: null })).bucket_id, null);
    assert.equal((await readTask(world, ofSite)).bucket_id, theirs);
    await limited('POST', `${BASE}/tasks/${ofSite}/start`);
    clock.time += 60_000;
    await limited('POST', `${BASE}/tasks/${ofSite}/pause`);
    const stopped = (await limited('POST', `${BASE}/tasks/${ofSite}/stop`)).body.data;
    assert.deepEqual([stopped.billed_seconds, stopped.bucket_id], [60, null]);
    assert.equal((await readBucket(world, theirs)).seconds_used, 60);
  });

  it('when the bucket of a task is not visible, then its price, ETag and time of change do not depend on it', async () => {
    const fields = { client_id: museum, site_id: hall, bucket_id: theirs };
    const { id } = await addTask(world, { title: 'Priced', ...fields });
    const spent = 1800;
    const see = async () => {
      const { body, headers } = await limited('GET', `${BASE}/tasks/${id}`);
      const { hourly_price, hourly_price_source, total_price, updated_at } = body.data;
      return { price: [hourly_price, hourly_price_source, total_price], updated_at, etag: String(headers['etag']) };
    };
    const edit = (body: object) => world.request('PUT', `/api/v2${BASE}/tasks/${id}/edit`, { body });
    await edit({ elapsed_seconds: spent });
    const before = await see();
    assert.deepEqual(before.price, [0, 'settings', 0]);
    assert.deepEqual([(await readTask(world, id)).hourly_price, (await readTask(world, id)).total_price], [80, 40]);
    clock.time += 60_000;
    await edit({ bucket_id: shared });
    await edit({ bucket_id: null });
    assert.deepEqual(await see(), before);
    await edit({ bucket_id: theirs });
    const saved = await world.request('GET', `/api/v2${BASE}/tasks/${id}`);
    assert.notEqual(saved.headers['etag'], before.etag);
    const me = await callerWithin(world, { clients: [bakery], sites: [hall] });
    const rename = (expect: number) =>
      world.request('PUT', `/api/v2${BASE}/tasks/${id}/edit`, {
        ...{ as: 'nobody', headers: { ...me.headers, 'if-match': before.etag }, expect },
        body: { title: 'Priced, mine' },
      });
    await rename(200);
    await rename(412);
    for (const verb of ['start', 'stop'] as const) await runTimer(world, id, verb);
    assert.deepEqual((await see()).price, [0, 'settings', 0]);
    const { data } = (await limited('GET', `${BASE}/clients/${museum}`)).body;
    assert.deepEqual(data.amounts_unbilled, [{ currency: 'USD', amount: 0 }]);
    const types = (await limited('GET', `/changes?per_page=100&site_id=${hall}`)).body.data.filter(
      ({ key, name }: { key: string; name: string }) => key === String(id) && name.startsWith('Priced'),
    );
    assert.doesNotMatch(JSON.stringify(types), /bucket/);
  });

  it('when the default bucket of a client is not visible, then a new task of a limited caller has none', async () => {
    const settings = async (client: number, bucket: number) =>
      world.request('PUT', `/api/v2${BASE}/clients/${client}/settings/edit`, { body: { default_bucket_id: bucket } });
    await settings(museum, theirs);
    await settings(bakery, own);
    const add = async (body: object) => (await limited('POST', `${BASE}/tasks/add`, body)).body.data;
    const { id, bucket_id: none } = await add({ title: 'Unseen', client_id: museum, site_id: hall });
    assert.deepEqual([none, (await readTask(world, id)).bucket_id], [null, null]);
    assert.equal((await add({ title: 'Seen', client_id: bakery })).bucket_id, own);
    for (const [client, bucket] of [
      [museum, null],
      [bakery, own],
    ] as const) {
      const { data } = (await limited('GET', `${BASE}/clients/${client}/settings`)).body;
      assert.equal(data.default_bucket_id, bucket);
      const detail = (await limited('GET', `${BASE}/clients/${client}`)).body.data;
      assert.equal(detail.settings.default_bucket_id, bucket);
      const ids = detail.buckets.map((each: { id: number }) => each.id);
      assert.deepEqual(ids, bucket === null ? [] : [own]);
    }
    await limited('PUT', `${BASE}/settings/edit`, { decimals: 2 }, 403);
    await limited('GET', `${BASE}/settings`, null, 403);
  });

  it('when the settings of a client are edited, then all its sites must be visible, and an unseen bucket stays', async () => {
    const path = (client: number) => `/clients/${client}/settings/edit`;
    const stored = async (client: number) =>
      (await world.request('GET', `/api/v2${BASE}/clients/${client}/settings`)).body.data;
    const edit = async (body: object) => (await limited('PUT', `${BASE}${path(bakery)}`, body)).body.data;
    const body = { override: 1, rounding_minutes: 30 };
    const { code, data } = await refused('PUT', path(museum), body);
    assert.deepEqual([code, data], ['svc_outside_limits', outsideBy(2)]);
    assert.equal((await stored(museum)).override, 0);
    await refusedAlike('PUT', [path(idle), path(UNKNOWN)], [body, body]);

    await world.request('PUT', `/api/v2${BASE}${path(bakery)}`, { body: { default_bucket_id: shared } });
    const edited = await edit({ ...body, default_bucket_id: null });
    assert.deepEqual([edited.override, edited.rounding_minutes, edited.default_bucket_id], [1, 30, null]);
    assert.deepEqual(await stored(bakery), { ...edited, default_bucket_id: shared });
    for (const unseen of [shared, theirs])
      await refusedAlike(
        'PUT',
        [path(bakery), path(bakery)],
        [{ default_bucket_id: unseen }, { default_bucket_id: UNKNOWN }],
      );
    assert.equal((await edit({ default_bucket_id: own })).default_bucket_id, own);
    assert.equal((await edit({ override: 0 })).default_bucket_id, own);
    assert.equal((await edit({ default_bucket_id: null })).default_bucket_id, null);
    assert.equal((await stored(bakery)).default_bucket_id, null);
  });

  it('when clients are read, then only visible ones are, with the sums of the visible tasks', async () => {
    const { body } = await limited('GET', `${BASE}/clients`);
    const visible = (await limited('GET', BASE)).body.data as { client_id: number }[];
    const countOf = (client: number) => visible.filter(({ client_id: id }) => id === client).length;
    assert.deepEqual(
      body.data.map((each: Record<string, unknown>) => [each['id'], each['tasks_total'], each['buckets_count']]),
      [
        [bakery, countOf(bakery), 1],
        [museum, countOf(museum), 0],
      ],
    );
    for (const list of ['', '/tasks', '/buckets', '/settings'])
      await refusedAlike('GET', [`/clients/${idle}${list}`, `/clients/${UNKNOWN}${list}`], [null, null]);
    assert.equal((await limited('GET', `${BASE}/clients/${museum}/tasks`)).body.total, countOf(museum));
    assert.equal((await limited('GET', `${BASE}/clients/${museum}/buckets`)).body.total, 0);
    assert.equal((await limited('GET', `${BASE}/buckets`)).body.total, 1);
    assert.equal((await limited('GET', `${BASE}/sites/${hall}/tasks`)).body.total, countOf(museum));
    await refusedAlike('GET', [`/sites/${outside}/tasks`, `/sites/${UNKNOWN}/tasks`], [null, null]);
  });

  it('when a site gets another client, then a visible task of it does not show the client before', async () => {
    const shop = (await seedSite(world, { clientId: idle })).id;
    const { id } = await addTask(world, { title: 'Before', client_id: idle, site_id: shop });
    const move = { client_id: bakery };
    await world.request('PUT', `/api/v2/sites/${shop}/edit`, { body: move });
    const read = (await limited('GET', `${BASE}/tasks/${id}`)).body.data;
    assert.deepEqual([read.client_id, read.client_name, read.site_id], [null, '', shop]);
    const edit = `/tasks/${id}/edit`;
    await refusedAlike('PUT', [edit, edit], [{ client_id: idle }, { client_id: UNKNOWN }]);
    assert.equal((await limited('GET', `${BASE}?client_id=${idle}`)).body.total, 0);
    await deleteSite(world, shop);
    await limited('GET', `${BASE}/tasks/${id}`, null, 404);
  });

  it('when a task of a bucket is of a site that has left the limit, then the bucket is not visible', async () => {
    const shop = (await seedSite(world, { clientId: bakery })).id;
    const { id } = await addBucket(world, { title: 'left', hours: 1, clients: [bakery] });
    await addTask(world, { title: 'Left', client_id: bakery, site_id: shop, bucket_id: id });
    assert.equal((await limited('GET', `${BASE}/buckets/${id}`)).body.data.tasks_count, 1);
    await world.request('PUT', `/api/v2/sites/${shop}/edit`, { body: { client_id: idle } });
    await refusedAlike('GET', [`/buckets/${id}`, `/buckets/${UNKNOWN}`], [null, null]);
    await deleteSite(world, shop);
  });

  it('when a task of a deleted site is left, then no limited caller sees it', async () => {
    const shop = (await seedSite(world, { clientId: bakery })).id;
    const { id } = await addTask(world, { title: 'Gone', client_id: bakery, site_id: shop });
    assert.equal((await limited('GET', `${BASE}/tasks/${id}`)).body.data.site_id, shop);
    await deleteSite(world, shop);
    await refusedAlike('GET', [`/tasks/${id}`, `/tasks/${UNKNOWN}`], [null, null]);
    assert.equal((await readTask(world, id)).site_id, null);
  });

  it('when the timer of the caller runs on a task that it does not see, then it is neither named nor paused', async () => {
    await runTimer(world, ofOutside, 'start');
    const { id } = await addTask(world, { title: 'Next', client_id: museum, site_id: hall });
    for (const query of ['', '?switch=1']) {
      const { code, message, data } = await refused('POST', `/tasks/${id}/start${query}`);
      assert.deepEqual([code, data], ['svc_outside_limits', outsideBy(1)]);
      assert.doesNotMatch(message, /of the outside/);
    }
    assert.equal((await readTask(world, ofOutside)).status, 'running');
    await runTimer(world, ofOutside, 'stop');
    await runTimer(world, ofMuseum, 'start');
    assert.deepEqual((await refused('POST', `/tasks/${id}/start?switch=1`)).data, outsideBy(2));
    await runTimer(world, ofMuseum, 'stop');
    await limited('POST', `${BASE}/tasks/${id}/start`);
    await limited('POST', `${BASE}/tasks/${ofClient}/start?switch=1`);
    await limited('POST', `${BASE}/tasks/${ofClient}/stop`);
  });

  it('when a task moves between sites, then the change log of a limited caller does not name the other', async () => {
    const { id } = await addTask(world, { title: 'Moving', client_id: museum, site_id: outside });
    const edit = (body: object) => world.request('PUT', `/api/v2${BASE}/tasks/${id}/edit`, { body });
    await edit({ site_id: hall });
    await edit({ title: 'Moved' });
    const { data } = (await limited('GET', '/changes?type=task.updated&per_page=100')).body;
    const descriptions = data.map(({ description }: { description: string }) => description);
    assert.ok(descriptions.includes('Changed title of the task Moved.'));
    assert.ok(!descriptions.some((text: string) => text.includes('Moving')), descriptions.join());
  });

  it('when the limit has every site, then the answers are those of an unlimited caller', async () => {
    const sites = (await world.request('GET', '/api/v2/sites?per_page=100')).body.data as { id: number }[];
    const everySite = { sites: sites.map(({ id }) => id) };
    const answers: string[][] = [];
    for (const request of [await requestsWithin(world, everySite), await requestsWithin(world, null)]) {
      const texts: string[] = [];
      const send = async (method: string, path: string, body: object | null = null, status = 200) => {
        const answer = await request(method, `${BASE}${path}`, body, status);
        texts.push(JSON.stringify(answer.body));
        return answer.body.data;
      };
      const bucket = await send('POST', '/buckets/add', { title: 'All', hours: 5, clients: [museum, bakery] });
      const fields = { title: 'All', client_id: museum, bucket_id: bucket.id, timer_mode: 'count_down' };
      const task = await send('POST', '/tasks/add', fields);
      await send('GET', `/tasks/${task.id}`);
      await send('PUT', `/tasks/${task.id}/edit`, { site_id: outside, title: 'All of it' });
      await send('PATCH', `/tasks/${task.id}/edit`, { site_id: oven }, 400);
      await send('POST', `/tasks/${task.id}/start`);
      await send('POST', `/tasks/${task.id}/pause`);
      await send('POST', `/tasks/${task.id}/stop`);
      await send('DELETE', `/buckets/${bucket.id}/delete`, null, 409);
      await send('DELETE', `/tasks/${task.id}/delete`);
      await send('PUT', `/buckets/${bucket.id}/edit`, { clients: [bakery], hours: 6 });
      await send('POST', '/tasks/add', { title: 'Idle', client_id: UNKNOWN }, 404);
      await send('DELETE', `/buckets/${bucket.id}/delete`);
      answers.push(texts.map((text) => text.replaceAll(/"(id|bucket_id)":\d+/g, '"$1":0')));
    }
    assert.deepEqual(answers[0], answers[1]);
  });
});
