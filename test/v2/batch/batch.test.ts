import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { operationPoliciesOf } from '../../../src/http/operation-policy.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { startWorld, type World } from '../../support/world.ts';

interface Result {
  success?: number;
  id?: number;
  error?: { code: string; message: string; data: { status: number; errors?: { path: string }[] } };
  data?: { id: number; name: string };
}
const resultCodes = (results: Result[]): unknown[] =>
  results.map(({ success, id, error }) => (error ? [id, error.code, error.data.status] : success));

describe('v2 batches', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2 });
  });
  after(() => world.close());

  const send = (path: string, body: unknown, options: object = {}, method = 'POST') =>
    world.request(method, `/api/v2${path}`, { body, ...options });
  const tagNames = async (): Promise<string[]> =>
    (await world.request('GET', '/api/v2/tags?per_page=500')).body.data.map(({ name }: { name: string }) => name);
  const limitTo = (svc_rest_batch_items_limit: number | null) =>
    send('/settings/advanced/edit', { svc_rest_batch_items_limit }, {}, 'PUT');

  for (const method of ['POST', 'PUT', 'PATCH'])
    it(`when a batch is sent by ${method}, then each item has the response of its route, errors included`, async () => {
      const names = ['one', 'two'].map((name) => `${method} ${name}`);
      const create = [{ name: names[0] }, { colour: 'red' }, { name: names[0] }, { name: names[1], color: '#ABC' }];
      const { body } = await send('/batch', { tags: { create } }, {}, method);
      assert.deepEqual(Object.keys(body), ['tags']);
      assert.deepEqual(resultCodes(body.tags.create), [
        1,
        [0, 'rest_invalid_param', 400],
        [0, 'svc_already_exists', 409],
        1,
      ]);
      const [first, second] = body.tags.create as Result[];
      assert.deepEqual(second?.error?.data.errors?.map(({ path }) => path).sort(), ['body.colour', 'body.name']);
      const { body: alone } = await world.request('GET', `/api/v2/tags/${first?.data?.id}`);
      assert.deepEqual(first?.data, alone.data);
      assert.ok((await tagNames()).includes(names[1] ?? ''));
    });

  it('when an item contains text that no database can store, then only this item is rejected', async () => {
    const create = [{ name: 'kept 1' }, { name: 'a\ud800' }, { name: 'b\0' }, { name: 'kept 2' }];
    const updates = { create: [{ site: 'x\udc00.example', type: 'plugins' }, { site: 'x.example' }] };
    const { body } = await send('/batch', { tags: { create }, updates });
    const alone = [0, 'rest_invalid_param', 400];
    assert.deepEqual(resultCodes(body.tags.create), [1, alone, alone, 1]);
    assert.deepEqual(resultCodes(body.updates.create), [alone, [0, 'svc_site_not_found', 404]]);
    assert.deepEqual(
      [body.tags.create[1], body.tags.create[2], body.updates.create[0]].map(
        ({ error }: Result) => error?.data.errors?.[0]?.path,
      ),
      ['body.name', 'body.name', 'body.site'],
    );
    assert.deepEqual((await tagNames()).filter((name) => /^kept|^[ab]/.test(name)).sort(), ['kept 1', 'kept 2']);
  });

  it('when a batch is for one resource, then it creates, updates and deletes records', async () => {
    const { body: made } = await send('/tags/batch', { create: [{ name: 'a1' }, { name: 'a2' }, { name: 'a3' }] });
    const [a1 = 0, a2 = 0, a3 = 0] = (made.create as Result[]).map(({ data }) => data?.id);
    for (const method of ['PUT', 'PATCH']) {
      const update = [
        { id: a1, name: `b1 ${method}` },
        { id: 999_999, name: 'x' },
        { name: 'x' },
        { id: a2, name: '' },
      ];
      const { body } = await send('/tags/batch', { update }, {}, method);
      assert.deepEqual(resultCodes(body.update), [
        1,
        [999_999, 'svc_tag_not_found', 404],
        [0, 'rest_invalid_param', 400],
        [a2, 'rest_invalid_param', 400],
      ]);
    }
    const { body } = await send('/tags/batch', {
      delete: [a1, a2, a1, 999_999],
      update: [
        { id: a3, name: 'b3' },
        { id: a1, name: 'kept till it is removed' },
      ],
      create: [],
    });
    assert.deepEqual(Object.keys(body), ['create', 'update', 'delete']);
    assert.deepEqual(resultCodes(body.update), [1, 1]);
    assert.deepEqual(resultCodes(body.delete), [
      1,
      1,
      [a1, 'svc_tag_not_found', 404],
      [999_999, 'svc_tag_not_found', 404],
    ]);
    const names = await tagNames();
    assert.deepEqual([names.includes('b3'), names.includes('a2')], [true, false]);
  });

  it('when a batch has no items, then the batch is rejected', async () => {
    for (const body of [{}, { sites: {} }, { sites: { sync: [] }, tags: { create: [] } }, undefined])
      assert.equal((await send('/batch', body, { expect: 400 })).body.code, 'svc_rest_empty_batch');
    for (const group of ['sites', 'clients', 'costs', 'tags'])
      for (const method of ['POST', 'PUT', 'PATCH'])
        for (const body of [{}, { delete: [] }])
          assert.equal(
            (await send(`/${group}/batch`, body, { expect: 400 }, method)).body.code,
            'svc_rest_empty_batch',
          );
  });

  it('when a group or action is unknown or a value is no list, then the whole batch is rejected', async () => {
    const create = [{ name: 'never' }];
    for (const [body, path] of [
      [{ tags: { create }, nope: { create } }, 'body.nope'],
      [{ tags: { create, delete: [1] } }, 'body.tags.delete'],
      [{ tags: { create }, sites: { unsuspend: [1] } }, 'body.sites.unsuspend'],
      [{ tags: { create: { 0: create } } }, 'body.tags.create'],
      [{ tags: { create }, sites: { sync: 1 } }, 'body.sites.sync'],
    ] as const) {
      const answer = await send('/batch', body, { expect: 400 });
      assert.equal(answer.body.code, 'rest_invalid_param');
      assert.ok(
        answer.body.data.errors.some((error: { path: string }) => error.path.startsWith(path)),
        path,
      );
    }
    await send('/tags/batch', { create, sync: [1] }, { expect: 400 });
    await send('/batch', [], { expect: 400 });
    assert.ok(!(await tagNames()).includes('never'));
  });

  it('when a batch has more items than the limit, then the batch is rejected and no item runs', async () => {
    const tags = (count: number, name: string) => ({
      create: Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}` })),
    });
    const { body } = await send('/batch', { tags: tags(100, 'many'), sites: { sync: [1] } }, { expect: 413 });
    assert.deepEqual([body.code, body.data.limit], ['svc_request_too_large', 100]);
    assert.ok(!(await tagNames()).includes('many 0'));
    await limitTo(2);
    await send('/tags/batch', { create: [{ name: 'few' }], delete: [1, 2] }, { expect: 413 });
    assert.equal((await send('/tags/batch', { ...tags(2, 'few') })).body.create.length, 2);
    await limitTo(null);
    assert.equal((await send('/batch', { tags: tags(100, 'many') })).body.tags.create.length, 100);
  });

  it('when a batch runs, then each item needs the permission of its route', async () => {
    const body = { tags: { create: [{ name: 'by a writer' }] } };
    for (const as of ['reader', 'viewer'] as const) await send('/batch', body, { as, expect: 403 });
    await send('/batch', body, { as: 'nobody', expect: 401 });
    assert.equal((await send('/batch', body, { as: 'writer' })).body.tags.create[0].success, 1);
  });

  it('when a batch is retried with its idempotency key, then it runs once', async () => {
    for (const method of ['POST', 'PUT'] as const) {
      const key = { headers: { 'idempotency-key': randomUUID() } };
      const named = { tags: { create: [{ name: `keyed ${method}` }] } };
      const first = await send('/batch', named, key, method);
      const again = await send('/batch', named, key, method);
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers['idempotency-replayed'], 'true');
    }
  });

  it('when a batch was interrupted, then a retry with its idempotency key does not run it, for any method', () => {
    const policy = operationPoliciesOf(readContract('v2'));
    for (const id of ['batch_run', 'batch_run__put', 'batch_run__patch', 'tags_batch__put', 'sites_batch__patch'])
      assert.equal(policy.get(id)?.idempotency.isRepeatable, false, id);
    assert.equal(policy.get('tags_edit__post')?.idempotency.isRepeatable, true);
  });

  it("when a batch has run, then the audit log has an entry for each item's operation", async () => {
    await send('/tags/batch', { create: [{ name: 'audited' }] });
    assert.ok(world.logLines.some((line) => line.includes('"audit":true') && line.includes('"tags_add"')));
  });
});
