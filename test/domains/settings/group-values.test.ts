import assert from 'node:assert/strict';
import { describeSettingChange } from '../../../src/domains/settings/group-values.ts';

describe('log text of a changed setting', () => {
  const told = (value: unknown, secret = false, before: object = {}): string =>
    describeSettingChange({ field: 'key', name: 'group.key', value, secret }, before as Record<string, unknown>);

  it('when a setting is a secret, then the text contains only its name', () => {
    assert.equal(told('open sesame', true), 'group.key');
    assert.equal(told(undefined, true), 'group.key = default');
  });

  it('when a setting is an object, then the text contains only the changed fields', () => {
    assert.equal(told({ a: 1, b: [2] }, false, { key: { a: 0, b: [2] } }), 'group.key.a = 1');
    assert.equal(told([1]), 'group.key = [1]');
  });
});
