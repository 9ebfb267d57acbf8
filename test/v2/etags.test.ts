import assert from 'node:assert/strict';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

describe('ETags of records', () => {
  let world: World;
  let path: string;
  before(async () => {
    world = await startWorld();
    path = `/api/v2/tags/${await createTag(world, 'a')}`;
  });
  after(() => world.close());

  const tagOf = async (query = ''): Promise<string> => {
    const { headers } = await world.request('GET', path + query);
    return String(headers['etag']);
  };

  it('when the record changes, then its ETag changes; _fields does not change the ETag', async () => {
    const before = await tagOf();
    assert.match(before, /^"[\w-]{22}"$/);
    assert.equal(await tagOf('?_fields=name'), before);
    const { headers } = await world.request('PUT', `${path}/edit`, { body: { name: 'b' } });
    assert.notEqual(headers['etag'], before);
    assert.equal(await tagOf(), headers['etag']);
  });

  it('when If-None-Match has the current ETag, then the response is 304 without a body', async () => {
    const tag = await tagOf();
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const { body, headers } = await world.request('GET', path, { headers: { 'if-none-match': known }, expect: 304 });
      assert.deepEqual([body, headers['etag']], ['', tag]);
    }
    await world.request('GET', path, { headers: { 'if-none-match': '"other"' } });
  });

  it('when If-Match has an outdated ETag, then the edit is rejected', async () => {
    const seen = await tagOf();
    const edit = (name: string, tag: string, expect: number) =>
      world.request('PUT', `${path}/edit`, { body: { name }, headers: { 'if-match': tag }, expect });
    await edit('first', seen, 200);
    assert.equal((await edit('second', seen, 412)).body.code, 'svc_precondition_failed');
    assert.equal((await world.request('GET', path)).body.data.name, 'first');
    await edit('third', `"other", ${await tagOf()}`, 200);
    await edit('fourth', '*', 200);
    await edit('fifth', `W/${await tagOf()}`, 412);
  });

  it('when several edits with one ETag run at once, then one succeeds', async () => {
    const seen = await tagOf();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const edit = world.agent().put(`${path}/edit`).set('if-match', seen);
        return (await edit.send({ name: `racer ${index}` })).status;
      }),
    );
    assert.deepEqual(outcomes.sort(), [200, ...Array<number>(7).fill(412)]);
  });

  it('when the record has changed, then a deletion with the old ETag is rejected', async () => {
    const seen = await tagOf();
    await world.request('PUT', `${path}/edit`, { body: { name: 'changed' } });
    await world.request('DELETE', `${path}/remove`, { headers: { 'if-match': seen }, expect: 412 });
    await world.request('DELETE', `${path}/remove`, { headers: { 'if-match': await tagOf() } });
  });
});
