import assert from 'node:assert/strict';
import { sign, verify } from 'node:crypto';
import { keyPairAt, loadKeyPool } from '../../scripts/bench/keys.ts';

describe('keys of simulated sites', () => {
  it('when sites are in the range of the pool, then each has a key of its own that signs', () => {
    const pool = loadKeyPool();
    const indexes = [0, 1, 2, 3, 999, 10_000, 11_174];
    const pairs = indexes.map((index) => keyPairAt(pool, index));
    assert.equal(new Set(pairs.map(({ keyId }) => keyId)).size, indexes.length);
    for (const { privateKeyPem, publicKeyPem } of pairs) {
      const signature = sign('sha256', Buffer.from('text'), privateKeyPem);
      assert.ok(verify('sha256', Buffer.from('text'), publicKeyPem, signature));
    }
  });

  it('when there are more sites than keys, then the keys begin again', () => {
    const pool = loadKeyPool();
    assert.equal(keyPairAt(pool, 11_175).keyId, keyPairAt(pool, 0).keyId);
  });
});
