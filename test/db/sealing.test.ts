import assert from 'node:assert/strict';
import { equalInConstantTime, Sealing } from '../../src/db/sealing.ts';

const PLACE = 'site_secrets.private_key:12';

describe('sealing', () => {
  const key = Sealing.newKey();
  const sealing = new Sealing(key);

  for (const text of ['', 'a', 'Bücher 🚀 \u0000', 'x'.repeat(100_000)])
    it(`when ${JSON.stringify(text.slice(0, 20))} was sealed, then it can be opened`, () => {
      const sealed = sealing.seal(text, PLACE);
      assert.equal(sealing.open(sealed, PLACE), text);
      assert.equal(new Sealing(Buffer.from(key)).open(sealed, PLACE), text, 'another process with the key');
      if (text.length > 1) assert.ok(!sealed.includes(text));
    });

  it('when a text is sealed twice, then the results differ', () => {
    assert.notEqual(sealing.seal('secret', PLACE), sealing.seal('secret', PLACE));
  });

  it('when a sealed text was moved to another place, then it cannot be opened', () => {
    const sealed = sealing.seal('secret', PLACE);
    for (const place of ['site_secrets.private_key:13', 'site_secrets.http_pass:12', ''])
      assert.throws(() => sealing.open(sealed, place));
  });

  it('when the key is different, then opening fails and the error does not contain the text', () => {
    const sealed = sealing.seal('hunter2', PLACE);
    assert.throws(
      () => new Sealing(Sealing.newKey()).open(sealed, PLACE),
      (error: Error) => error.message.includes(PLACE) && !error.message.includes('hunter2'),
    );
  });

  it('when any character of a sealed text was changed, then it cannot be opened', () => {
    const sealed = sealing.seal('secret', PLACE);
    for (const [index, letter] of [...sealed].entries()) {
      // The last character of a part can have unused bits.
      if (letter === '.' || sealed[index + 1] === '.' || index === sealed.length - 1) continue;
      const changed = sealed.slice(0, index) + (letter === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
      assert.throws(() => sealing.open(changed, PLACE), changed);
    }
  });

  it('when the tag of a sealed text was shortened, then it cannot be opened', () => {
    const [version, iv, tag = '', text] = sealing.seal('secret', PLACE).split('.');
    for (const bytes of [4, 8, 12, 15]) {
      const short = Buffer.from(tag, 'base64url').subarray(0, bytes).toString('base64url');
      assert.throws(() => sealing.open([version, iv, short, text].join('.'), PLACE), `${bytes} bytes`);
    }
  });

  for (const nonsense of ['', 'secret', 'v1', 'v1..', 'v1.a.b', 'v2.a.b.c', 'v1.....'])
    it(`when the sealed text is ${JSON.stringify(nonsense)}, then it cannot be opened`, () => {
      assert.throws(() => sealing.open(nonsense, PLACE));
    });

  it('when the text is null, then the sealed value is null', () => {
    assert.equal(sealing.sealOptional(null, PLACE), null);
    assert.equal(sealing.openOptional(null, PLACE), null);
    assert.equal(sealing.openOptional(sealing.sealOptional('secret', PLACE), PLACE), 'secret');
  });

  it('when a key does not have 32 bytes, then it is rejected', () => {
    for (const bytes of [0, 16, 31, 33]) assert.throws(() => new Sealing(Buffer.alloc(bytes)), /32 bytes/);
  });

  it('when a credential is hashed, then the hash depends on the key', () => {
    assert.equal(sealing.hash('credential'), new Sealing(Buffer.from(key)).hash('credential'));
    assert.notEqual(sealing.hash('credential'), sealing.hash('credentiaL'));
    assert.notEqual(sealing.hash('credential'), new Sealing(Sealing.newKey()).hash('credential'));
    assert.match(sealing.hash('credential'), /^[0-9a-f]{64}$/);
  });

  it('when texts of any length are compared, then only equal ones match', () => {
    assert.ok(equalInConstantTime('a', 'a') && equalInConstantTime('', ''));
    for (const other of ['', 'b', 'aa', 'A']) assert.ok(!equalInConstantTime('a', other));
  });
});
