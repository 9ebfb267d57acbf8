import assert from 'node:assert/strict';
import { filterKeyOf } from '../../src/shared/filters.ts';

describe('keys of filters', () => {
  it('when filters match the same records, then they have the same key', () => {
    const key = filterKeyOf({ search: 'a', include: [2, 1] });
    for (const filter of [
      { include: [1, 2], search: 'a' },
      { search: 'a', include: [2, 1], exclude: [], status: undefined },
      { search: 'a', include: [1, 2], status: '' },
    ])
      assert.equal(filterKeyOf(filter), key, JSON.stringify(filter));
  });

  it('when filters differ in one field, then their keys differ', () => {
    const filters = [{}, { archived: false }, { archived: true }, { search: 'a' }, { status: 'a' }, { include: [1] }];
    assert.equal(new Set([...filters, { include: [1, 2] }, { exclude: [1] }].map(filterKeyOf)).size, 8);
  });
});
