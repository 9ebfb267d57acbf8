import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { TestMcpClient } from '../../support/mcp.ts';
import { refusedFields } from '../../support/refusals.ts';
import { startSecondService } from '../../support/second-service.ts';
import { seedSite } from '../../support/sites.ts';
import { withWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';
const DAY = 86_400_000;

describe('v2 use of API keys', () => {
  const env = { SITEFLEET_SECRET_KEY: randomBytes(32).toString('base64') };
  let world: World;
  withWorld({ env }, (started) => (world = started));

  const add = async (body: object = {}) =>
    (await world.request('POST', `${BASE}/add-key`, { body: { scope: 'read_write', ...body } })).body.data;
  const by = (token: string) => ({ as: 'nobody' as const, headers: { authorization: `Bearer ${token}` } });
  const usage = async (id: number, query = '') => (await world.request('GET', `${BASE}/keys/${id}/usage${query}`)).body;
  /** Returns calls and errors by operation of today. */
  const countsOf = async (id: number): Promise<Record<string, [number, number]>> => {
    const { data } = await usage(id);
    assert.ok(data.length <= 1, 'the test does not run at midnight in UTC');
    const operations = (data[0]?.operations ?? []) as { operation: string; calls: number; errors: number }[];
    return Object.fromEntries(operations.map(({ operation, calls, errors }) => [operation, [calls, errors]]));
  };

  it('when a key calls, then each operation is counted with its errors, and unknown routes are not', async () => {
    const { id, token } = await add({ scope: 'read' });
    for (let count = 0; count < 3; count++) await world.request('GET', '/api/v2/tags', by(token));
    await world.request('GET', '/api/v2/tags?page=0', { ...by(token), expect: 400 });
    await world.request('GET', '/api/v2/tags/999999', { ...by(token), expect: 404 });
    await world.request('POST', '/api/v2/tags/add', { ...by(token), body: { name: 'x' }, expect: 403 });
    await world.request('GET', '/api/v2/no-such-route', { ...by(token), expect: 404 });
    await world.request('GET', '/api/v2/tags');
    assert.deepEqual(await countsOf(id), { tags_list: [4, 1], tags_get: [1, 1], tags_add: [1, 1] });
    const { data } = await usage(id);
    assert.deepEqual([data[0].calls, data[0].errors], [6, 3]);
    assert.deepEqual(data[0].operations[0].operation, 'tags_list');
  });

  it('when the service follows a job for an MCP call, then its own reads are not counted', async () => {
    await seedSite(world);
    const { id, token } = await add();
    const client = await TestMcpClient.connect(world.url, `Bearer ${token}`);
    const onprogress = (): void => undefined;
    const { text } = await client.run('schedules_run', { path: { name: 'daily-sync' } }, {}, { onprogress });
    assert.match(text, /The job \S+ has ended/);
    await client.close();
    assert.deepEqual(await countsOf(id), { schedules_run: [1, 0] });
  });

  it('when a key calls a batch, an ability or an MCP tool, then each item counts as its own operation', async () => {
    const { id, token } = await add();
    const { body } = await world.request('POST', '/api/v2/tags/batch', {
      ...by(token),
      body: { create: [{ name: 'one' }, { name: 'two' }, {}], delete: [999_999] },
    });
    assert.equal(body.create.length, 3);
    await world.ability('list-tags-v1', {}, by(token));
    const client = await TestMcpClient.connect(world.url, `Bearer ${token}`);
    await client.run('list-tags-v1');
    await client.close();
    assert.deepEqual(await countsOf(id), {
      tags_batch: [1, 0],
      tags_add: [3, 1],
      tags_remove: [1, 1],
      'list-tags-v1': [2, 0],
    });
  });

  it('when two processes count, then the calls add up', async () => {
    const { id, token } = await add();
    const second = await startSecondService(world, env);
    for (let count = 0; count < 3; count++) {
      await world.request('GET', '/api/v2/tags', by(token));
      const answer = await fetch(`${second.url}/api/v2/tags`, by(token));
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
    }
    assert.deepEqual(await countsOf(id), { tags_list: [3, 0] });
    await second.close();
    assert.deepEqual(await countsOf(id), { tags_list: [6, 0] }, 'a process that stops writes its counts');
  });

  it('when days are listed, then they are newest first, paged, and filtered by first and last day', async () => {
    const { id } = await add();
    const today = Math.floor(Date.now() / DAY);
    const dayOf = (age: number): string => new Date((today - age) * DAY).toISOString().slice(0, 10);
    const rows = [1, 2, 3, 5].flatMap((age) => [
      { key_id: id, day: today - age, operation: 'tags_list', calls: age, errors: 1 },
      { key_id: id, day: today - age, operation: 'sites_list', calls: age, errors: 0 },
    ]);
    await world.container.database.knex('key_usage').insert(rows);
    const all = await usage(id);
    assert.deepEqual(
      all.data.map(({ day, calls, errors }: Record<string, unknown>) => [day, calls, errors]),
      [1, 2, 3, 5].map((age) => [dayOf(age), 2 * age, 1]),
    );
    assert.deepEqual(all.data[0].operations, [
      { operation: 'sites_list', calls: 1, errors: 0 },
      { operation: 'tags_list', calls: 1, errors: 1 },
    ]);
    const daysOf = async (query: string) => (await usage(id, query)).data.map(({ day }: { day: string }) => day);
    assert.deepEqual(await daysOf(`?from=${dayOf(3)}`), [dayOf(1), dayOf(2), dayOf(3)]);
    assert.deepEqual(await daysOf(`?to=${dayOf(2)}&per_page=2`), [dayOf(2), dayOf(3)]);
    assert.deepEqual(await daysOf(`?from=${dayOf(2)}&to=${dayOf(3)}`), []);
    assert.deepEqual(await daysOf(`?from=${dayOf(3)}&to=${dayOf(2)}&_fields=day`), [dayOf(2), dayOf(3)]);
    const second = await usage(id, '?per_page=3&page=2');
    assert.deepEqual([second.total, second.pages, second.data.length], [4, 2, 1]);
    assert.equal(second.data[0].day, dayOf(5));
    const path = `${BASE}/keys/${id}/usage`;
    assert.deepEqual(await refusedFields(world, 'GET', `${path}?from=yesterday`), ['query.from']);
  });

  it('when the key is unknown or the caller no administrator, then the use is refused', async () => {
    const { id } = await add();
    const path = `${BASE}/keys/${id}/usage`;
    assert.deepEqual((await usage(id)).data, []);
    for (const as of ['viewer', 'reader', 'writer'] as const) await world.request('GET', path, { as, expect: 403 });
    const { body } = await world.request('GET', `${BASE}/keys/999999/usage`, { expect: 404 });
    assert.equal(body.code, 'svc_api_key_not_found');
  });

  it('when a key calls, then the call runs no SQL statement for its use', async () => {
    const { token } = await add();
    await world.request('GET', '/api/v2/tags', by(token));
    const counted = await world.countStatements(() => world.request('GET', '/api/v2/tags', by(token)));
    assert.equal(counted, await world.countStatements(() => world.request('GET', '/api/v2/tags')));
  });
});
