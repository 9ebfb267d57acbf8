import assert from 'node:assert/strict';
import { SURFACES } from '../../src/contract/surfaces.ts';
import { patternError } from '../../src/shared/pattern-errors.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { withWorld, type World } from '../support/world.ts';

const NOT_OF_REQUESTS = new Set(['responses', 'example', 'examples', 'headers']);

/** Returns the patterns of all texts in a contract, except in responses. */
function patternsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(patternsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { pattern, type } = node as { pattern?: unknown; type?: unknown };
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  const inner = Object.entries(node).flatMap(([key, each]) => (NOT_OF_REQUESTS.has(key) ? [] : patternsIn(each)));
  return isText && typeof pattern === 'string' ? [pattern, ...inner] : inner;
}

describe('error messages of patterns', () => {
  let world: World;
  withWorld({ sites: 1, connect: 0 }, (started) => void (world = started));

  const messageOf = async (path: string, body: object, method = 'POST'): Promise<string> =>
    (await world.request(method, path, { body, expect: 400 })).body.data.errors[0].message;

  it('when the contracts are read, then each pattern has a message in words', () => {
    const patterns = new Set(SURFACES.flatMap((surface) => patternsIn(readContract(surface))));
    assert.ok(patterns.size > 50);
    assert.deepEqual(
      [...patterns].filter((pattern) => patternError(pattern).includes(pattern)),
      [],
    );
  });

  it('when a value does not match, then the message says what is expected', async () => {
    const pin = { type: 'plugin', slug: 'a/a.php' };
    const version = 'must be a version such as 9.4.2, or a range such as 9.x, <10 or <=9.4';
    assert.equal(await messageOf('/api/v2/pins', { ...pin, version: '>=3' }), version);
    const slug = await messageOf('/api/v2/pins', { ...pin, slug: 'a|b', version: '3' });
    assert.match(slug, /^must be the slug of an item, such as hello-dolly\/hello\.php/);
    const time = await messageOf('/api/v2/settings/general/edit', { time_daily_update: '25:00' }, 'PUT');
    assert.equal(time, 'must be a time of the day such as 8:30, or empty');
  });

  it('when a name is blank, then the message says so', async () => {
    assert.equal(await messageOf('/api/v2/tags/add', { name: ' ' }), 'must not be blank');
  });
});
