import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DAY } from '../../src/shared/clock.ts';
import { startWorld, type World } from '../support/world.ts';

const ADD = '/api/v2/tags/add';

describe('idempotency keys', () => {
  let world: World;
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  before(async () => {
    world = await startWorld({ sites: 1, overrides: { clock } });
  });
  after(() => world.close());

  const add = (key: string, name: string, expect = 200, as: 'admin' | 'writer' = 'admin') =>
    world.request('POST', ADD, { as, headers: { 'idempotency-key': key }, body: { name }, expect });

  it('when a request is repeated, then it gets the first response with Idempotency-Replayed', async () => {
    const key = randomUUID();
    const first = await add(key, 'once');
    const again = await add(key, 'once');
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(
      [first.headers['idempotency-replayed'], again.headers['idempotency-replayed']],
      [undefined, 'true'],
    );
    assert.equal(again.headers['etag'], first.headers['etag']);
    assert.equal((await world.request('GET', '/api/v2/tags?search=once')).body.total, 1);
  });

  it('when the first response is an error, then it is stored and repeated as well', async () => {
    const key = randomUUID();
    await add(randomUUID(), 'taken');
    const refused = await add(key, 'taken', 409);
    const { body } = await world.request('GET', '/api/v2/tags?search=taken');
    await world.request('DELETE', `/api/v2/tags/${body.data[0].id}/remove`);
    assert.deepEqual((await add(key, 'taken', 409)).body, refused.body);
  });

  it('when another request has the same key, then it is rejected; another credential can use the key', async () => {
    const key = randomUUID();
    await add(key, 'mine');
    assert.equal((await add(key, 'other', 409)).body.code, 'svc_idempotency_conflict');
    const elsewhere = { headers: { 'idempotency-key': key }, body: { name: 'mine' }, expect: 409 };
    const { body } = await world.request('PUT', `/api/v2/tags/1/edit`, elsewhere);
    assert.equal(body.code, 'svc_idempotency_conflict');
    await add(key, 'of another credential', 200, 'writer');
  });

  it('when calls with one key run at once, then one is executed', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.agent().post(ADD).set('idempotency-key', key).send({ name: 'at once' })),
    );
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.code], [409, 'svc_idempotency_in_progress']);
    assert.ok(answers.some(({ status }) => status === 200));
    assert.equal((await world.request('GET', '/api/v2/tags?search=at%20once')).body.total, 1);
  });

  it('when an ability is called twice with one key, then the site is called once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const deactivate = () =>
      world.ability(
        'deactivate-site-plugins-v1',
        { site_id_or_domain: world.siteId(0), slugs: ['none/none.php'] },
        { headers },
      );
    const first = await deactivate();
    const calls = world.site(0).requests.length;
    assert.deepEqual(await deactivate(), first);
    assert.equal(world.site(0).requests.length, calls);
  });

  it('when the key is malformed, then the request is rejected; reads ignore the key', async () => {
    for (const key of ['', 'with blank', 'x'.repeat(256)]) {
      const { body } = await add(key, 'never', 400);
      assert.equal(body.data.errors[0].path, 'headers.idempotency-key');
    }
    const key = randomUUID();
    await add(key, 'for reads');
    await world.request('GET', '/api/v2/tags', { headers: { 'idempotency-key': key } });
  });

  it('when a call fails authorization or validation, then its key can be used again', async () => {
    const key = randomUUID();
    await world.request('POST', ADD, {
      as: 'reader',
      headers: { 'idempotency-key': key },
      body: { name: 'd' },
      expect: 403,
    });
    await world.request('POST', ADD, { headers: { 'idempotency-key': key }, body: { nme: 'd' }, expect: 400 });
    await add(key, 'door');
  });

  it('when a day has passed, then the key can be used again', async () => {
    const key = randomUUID();
    await add(key, 'today');
    clock.ahead = DAY + 1000;
    await add(key, 'tomorrow');
    clock.ahead = 0;
  });

  it('when responses are stored, then they are encrypted', async () => {
    await add(randomUUID(), 'canary of a tag');
    const rows = await world.container.database.knex('idempotent_calls').select<Record<string, unknown>[]>();
    assert.ok(rows.length > 0);
    assert.doesNotMatch(JSON.stringify(rows), /canary of a tag|today/);
  });

  it('when the process of a call died, then only a repeatable operation runs again', async () => {
    const { knex } = world.container.database;
    const interrupt = (): Promise<unknown> =>
      knex('idempotent_calls').update({ state: 'running', answer: null, leased_until: Date.now() - 1 });
    const key = randomUUID();
    const { body } = await add(key, 'died');
    await interrupt();
    const refused = await add(key, 'died', 409);
    assert.deepEqual([refused.body.code, refused.body.data.interrupted], ['svc_idempotency_in_progress', true]);
    const edit = { headers: { 'idempotency-key': randomUUID() }, body: { name: 'edited' } };
    await world.request('PUT', `/api/v2/tags/${body.data.id}/edit`, edit);
    await interrupt();
    const again = await world.request('PUT', `/api/v2/tags/${body.data.id}/edit`, edit);
    assert.deepEqual([again.body.data.name, again.headers['idempotency-replayed']], ['edited', undefined]);
    const sync = (): ReturnType<World['request']> =>
      world.request('POST', `/api/v2/sites/${world.siteId(0)}/sync`, { headers: { 'idempotency-key': 'sync-once' } });
    await sync();
    await interrupt();
    const synced = await sync();
    assert.deepEqual([synced.status, synced.headers['idempotency-replayed']], [200, undefined]);
  });
});
