import assert from 'node:assert/strict';
import { splitForQuery } from '../../src/client-cli/query-parts.ts';

describe('list in the query of several requests', () => {
  it('when the list is empty or short, then there is no part or one', () => {
    assert.deepEqual(splitForQuery([]), []);
    assert.deepEqual(splitForQuery([3, 1, 3, 2]), [[3, 1, 2]]);
  });

  it('when there are more than 500 items, then each part has at most 500', () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => index);
    const parts = splitForQuery(ids);
    assert.deepEqual(
      parts.map(({ length }) => length),
      [500, 500, 1],
    );
    assert.deepEqual(parts.flat(), ids);
  });

  it('when items are long, then no part is longer than 4,000 characters, unless it is one item', () => {
    const urls = Array.from({ length: 100 }, (_, index) => `https://site-${index}.example/${'é'.repeat(20)}`);
    const long = 'x'.repeat(5_000);
    const parts = splitForQuery([...urls, long, 'short']);
    assert.deepEqual(parts.flat(), [...urls, long, 'short']);
    for (const part of parts.filter(([first]) => first !== long))
      assert.ok(encodeURIComponent(part.join(',')).length <= 4_000);
    assert.ok(parts.some((part) => part.length === 1 && part[0] === long));
  });
});
