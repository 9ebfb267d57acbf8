import assert from 'node:assert/strict';
import { inRounds } from '../../../src/domains/sites/in-rounds.ts';

describe('rounds with one item per site', () => {
  it('when a site has several items, then each is in a later round than the one before', () => {
    const items = ['a1', 'b1', 'a2', 'c1', 'a3', 'b2'];
    const rounds = inRounds(items, (item) => item.charCodeAt(0));
    assert.deepEqual(rounds, [['a1', 'b1', 'c1'], ['a2', 'b2'], ['a3']]);
  });
});
