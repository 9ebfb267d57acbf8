import assert from 'node:assert/strict';
import { describeChange } from '../../../src/domains/settings/group-values.ts';

describe('what the log says of a setting that was changed', () => {
  const told = (value: unknown, secret = false, before: object = {}): string =>
    describeChange({ field: 'key', name: 'group.key', value, secret }, before as Record<string, unknown>);

  it('when it is a secret, then it says the name alone', () => {
    assert.equal(told('open sesame', true), 'group.key');
    assert.equal(told(undefined, true), 'group.key = default');
  });

  it('when it is an object, then it says what moved', () => {
    assert.equal(told({ a: 1, b: [2] }, false, { key: { a: 0, b: [2] } }), 'group.key.a = 1');
    assert.equal(told([1]), 'group.key = [1]');
  });
});
