import assert from 'node:assert/strict';
import { describeChangedObject } from '../../src/shared/changed-object.ts';

describe('change details', () => {
  const of = { name: 'Shop', key: 7 };

  it('when two states are compared, then the details have the differing fields as texts under their API names', () => {
    const before = { name: 'Shop', clientId: 3, notes: 'a', sslVerify: null, tags: ['a', 'b'], active: false };
    const after = { name: 'Shop', clientId: null, notes: 'b', sslVerify: true, tags: ['a'], active: false };
    assert.deepEqual(describeChangedObject(of, before, after), {
      ...of,
      before: { client_id: '3', notes: 'a', tags: 'a, b' },
      after: { notes: 'b', ssl_verify: 'true', tags: 'a' },
    });
  });

  it('when an object is created or deleted, then the details have all its fields on one side', () => {
    const fields = { title: 'Hosting', price: 0, color: '', rules: { a: 1 } };
    const kept = { title: 'Hosting', price: '0', rules: '{"a":1}' };
    assert.deepEqual(describeChangedObject(of, null, fields), { ...of, before: {}, after: kept });
    assert.deepEqual(describeChangedObject(of, fields, null), { ...of, before: kept, after: {} });
  });

  it('when a secret was changed, then the details only say that it changed', () => {
    const thing = describeChangedObject(of, { url: 'a' }, { url: 'a' }, ['apiKey']);
    assert.deepEqual(thing, { ...of, before: {}, after: { api_key: 'changed' } });
  });
});
