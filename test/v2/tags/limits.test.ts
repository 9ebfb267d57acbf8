import assert from 'node:assert/strict';
import { callerWithin } from '../../support/limited-keys.ts';
import { callsBelow, comparable, recordAnswers, refusalOf } from '../../support/limited-writes.ts';
import { seedSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const BASE = '/api/v2/tags';
const OUTSIDE = refusalOf('tag', 2);

describe('v2 writes of tags by a limited caller', () => {
  let world: World;
  let sites: number[];
  let [shared, own, hidden] = [0, 0, 0];
  let me: CallOptions;

  beforeEach(async () => {
    world = await startWorld();
    const add = async (name: string): Promise<number> =>
      (await world.request('POST', `${BASE}/add`, { body: { name } })).body.data.id;
    [shared, own, hidden] = [await add('shared'), await add('own'), await add('hidden')];
    const tagsOf = [[shared, own], [shared], [shared, hidden], []];
    sites = [];
    for (const tagIds of tagsOf) sites.push((await seedSite(world, { tagIds })).id);
    me = await callerWithin(world, { sites: [sites[0], sites[3]] });
  });
  afterEach(() => world.close());

  const call = callsBelow(BASE, () => ({ world, caller: me }));
  const WRITES = [
    ['PUT', 'edit', { name: 'mine' }],
    ['PATCH', 'edit', { color: '#123456' }],
    ['POST', 'edit', { name: 'mine', color: null }],
    ['DELETE', 'remove'],
  ] as const;

  it('when a tag has sites outside, then each verb fails with their number, and changes nothing', async () => {
    const before = (await world.request('GET', `${BASE}/${shared}`)).body;
    for (const [method, verb, body] of WRITES)
      assert.deepEqual((await call(method, `${shared}/${verb}`, 403, body)).body, OUTSIDE, `${method} ${verb}`);
    assert.deepEqual((await world.request('GET', `${BASE}/${shared}`)).body, before);
  });

  it('when no site of a tag is visible, then each verb answers as for a tag that does not exist', async () => {
    for (const [method, verb, body] of WRITES) {
      const mine = (await call(method, `${hidden}/${verb}`, 404, body)).body;
      assert.deepEqual(mine, (await call(method, `999999/${verb}`, 404, body)).body, `${method} ${verb}`);
      assert.equal(mine.code, 'svc_tag_not_found');
    }
    assert.equal((await world.request('GET', BASE)).body.total, 3);
  });

  it('when a tag is created, alone or in a batch, then it is refused, and the other items run', async () => {
    const refusal = (await call('POST', 'add', 403, { name: 'new' })).body;
    assert.deepEqual([refusal.code, refusal.data], ['svc_outside_limits', { status: 403 }]);
    const { body } = await call('POST', 'batch', 200, {
      create: [{ name: 'new' }],
      update: [
        { id: shared, name: 'mine' },
        { id: own, name: 'mine' },
      ],
      delete: [shared, hidden, own],
    });
    assert.deepEqual(body.create, [{ id: 0, error: refusal }]);
    assert.deepEqual(body.update[0], { id: shared, error: OUTSIDE });
    assert.equal(body.update[1].data.name, 'mine');
    assert.deepEqual(body.delete[0], { id: shared, error: OUTSIDE });
    assert.deepEqual([body.delete[1].id, body.delete[1].error.code], [hidden, 'svc_tag_not_found']);
    assert.deepEqual([body.delete[2].data.id, body.delete[2].data.sites_ids], [own, [sites[0]]]);
    assert.equal((await world.request('GET', BASE)).body.total, 2);
  });

  it('when a site is given a tag, then only a visible one or one of the limit is found, and the limit does not grow', async () => {
    const edit = (groupids: number[], expect: number) =>
      world.request('PUT', `/api/v2/sites/${sites[3]}/edit`, { ...me, body: { groupids }, expect });
    const mine = (await edit([own, hidden], 404)).body;
    assert.deepEqual(mine, (await edit([own, 999_999], 404)).body);
    await edit([own, shared], 200);
    assert.deepEqual((await call('GET', String(shared), 200)).body.data.sites_ids, [sites[0], sites[3]]);
    assert.equal((await world.request('GET', '/api/v2/sites', me)).body.total, 2);
  });

  it('when a limited caller edits the version that it has read, then the ETag fits, and others do not', async () => {
    const { etag } = (await call('GET', String(shared), 200)).headers;
    const { etag: full } = (await world.request('GET', `${BASE}/${shared}`)).headers;
    assert.ok(etag && full && etag !== full);
    const same = { name: 'shared' };
    await call('PUT', `${shared}/edit`, 412, same, { 'if-match': full });
    const saved = await call('PUT', `${shared}/edit`, 200, same, { 'if-match': etag });
    assert.equal(saved.headers.etag, etag);
    assert.deepEqual(saved.body.data.sites_ids, [sites[0]]);
  });

  it('when the limit has all sites of the fleet, then each write answers as without a limit', async () => {
    const run = async (name: string, site: number, limit: object | null): Promise<string> => {
      me = await callerWithin(world, limit);
      const { id } = (await world.request('POST', `${BASE}/add`, { body: { name } })).body.data;
      await world.request('PUT', `/api/v2/sites/${site}/edit`, { body: { groupids: [id] } });
      const { answers, note } = recordAnswers(call);
      for (const method of ['PUT', 'PATCH', 'POST'])
        await note(method, `${id}/edit`, 200, { name: `${name} ${method}`, color: '#ABC' });
      await note('PUT', `${id}/edit`, 409, { name: 'HIDDEN' });
      await note('PUT', `${id}/edit`, 400, { color: 'none' });
      for (const method of ['POST', 'PUT', 'PATCH'])
        await note(method, 'batch', 200, { update: [{ id, color: null }], delete: [999_999] });
      await note('DELETE', `${id}/remove`, 200);
      await note('DELETE', `${id}/remove`, 404);
      return comparable(answers, name);
    };
    const free = await run('free', sites[1] ?? 0, null);
    assert.equal(await run('full', sites[2] ?? 0, { sites }), free);
    assert.match(free, /"name":"caller PATCH"/);
  });
});
