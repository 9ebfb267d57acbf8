import assert from 'node:assert/strict';
import { withWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

describe('bodies of operations without input', () => {
  let world: World;
  withWorld({ sites: 1 }, (started) => (world = started));
  const post = (path: string, body: unknown, expect: number) =>
    world.request('POST', `/api/v2/sites/${world.siteId(0)}/${path}`, { body, expect });

  it('when the body is {}, then the call is accepted', async () => {
    await post('suspend', {}, 200);
    await post('unsuspend', {}, 200);
  });

  for (const body of [{ reason: 'x' }, [], [{}]])
    it(`when the body is ${JSON.stringify(body)}, then the call is rejected and nothing changes`, async () => {
      const { body: answer } = await post('suspend', body, 400);
      assert.deepEqual(
        answer.data.errors.map(({ path }: { path: string }) => path),
        ['body'],
      );
      const { body: read } = await world.request('GET', `/api/v2/sites/${world.siteId(0)}`);
      assert.equal(read.data.status, 'connected');
    });
});
