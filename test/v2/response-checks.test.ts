import assert from 'node:assert/strict';
import type { Tag } from '../../src/domains/tags/index.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about responses.

describe('response checks of the service', () => {
  let world: World;
  before(async () => (world = await startWorld({ sites: 0, env: { SITEFLEET_RESPONSE_CHECKS: 'log' } })));
  after(() => world.close());

  const violations = (): number =>
    world.logLines.filter((line) => line.includes('a response violates the contract')).length;
  const dataOf = async (path: string): Promise<object> => {
    const response = await fetch(world.url + path, { headers: { authorization: world.authorizations.admin ?? '' } });
    assert.equal(response.status, 200);
    return ((await response.json()) as { data: object }).data;
  };

  it('when a record lacks a required field, then it is logged, unless _fields selects other fields', async () => {
    const { id } = (await world.request('POST', '/api/v2/tags/add', { body: { name: 'shop' } })).body.data;
    const { tags } = world.container.services.tags;
    const detailed = tags.get.bind(tags);
    tags.get = async (...args) => {
      const { name: _, ...rest } = await detailed(...args);
      return rest as Tag & { siteIds: number[] };
    };
    try {
      const before = violations();
      assert.deepEqual(Object.keys(await dataOf(`/api/v2/tags/${id}?_fields=color`)), ['id', 'color']);
      assert.equal(violations(), before);
      assert.ok(!('name' in (await dataOf(`/api/v2/tags/${id}`))));
      assert.equal(violations(), before + 1);
    } finally {
      tags.get = detailed;
    }
  });
});
