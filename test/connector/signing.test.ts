import assert from 'node:assert/strict';
import { constants, createHash, createPrivateKey, generateKeyPairSync, verify } from 'node:crypto';
import { createKeyPairSource, keyIdOf } from '../../src/connector/index.ts';
import { encodeForm } from '../../src/connector/form-encoding.ts';
import { parsePrivateKey } from '../../src/connector/private-key.ts';
import { createSiteKeySigner, DEFAULT_SCHEME, makeNonce, signatureSchemeFields } from '../../src/connector/signing.ts';
import { SIGNED_BODY, PRIVATE_KEY_PEM, PUBLIC_KEY_PEM, EXPECTED_SIGNATURE } from './signature-vectors.ts';

describe('signing', () => {
  it('when the example of the protocol is signed, then signature and body are equal', async () => {
    const signer = createSiteKeySigner();
    const signature = await signer.sign({ keyId: 'k', privateKeyPem: PRIVATE_KEY_PEM }, 'stats', '1234');
    assert.equal(signature, EXPECTED_SIGNATURE);
    const body = encodeForm({
      user: 'admin',
      function: 'stats',
      nonce: '1234',
      mainwpver: '6.1.2',
      optimize: 1,
      ...signatureSchemeFields(DEFAULT_SCHEME),
      mainwpsignature: signature,
    });
    assert.equal(body, SIGNED_BODY);
    const hash = createHash('sha256').update(body).digest('hex');
    assert.equal(hash, '3eb212efd35fc1b27e7e5a779c207709729c5e45a26932bb138a4379532cfb49');
  });

  it('when another digest or the library method is set, then signature and fields follow the setting', async () => {
    const signer = createSiteKeySigner();
    const key = { keyId: 'k', privateKeyPem: PRIVATE_KEY_PEM };
    for (const [digest, number] of [
      ['sha1', 1],
      ['sha224', 6],
      ['sha384', 8],
      ['sha512', 9],
    ] as const) {
      const scheme = { method: 'openssl', digest } as const;
      const signature = Buffer.from(await signer.sign(key, 'stats', '1234', scheme), 'base64');
      assert.ok(verify(digest, Buffer.from('stats1234'), PUBLIC_KEY_PEM, signature), digest);
      assert.deepEqual(signatureSchemeFields(scheme), { sign_algo: number });
    }
    const library = { method: 'library', digest: 'sha512' } as const;
    const signature = Buffer.from(await signer.sign(key, 'stats', '1234', library), 'base64');
    const pss = { key: PUBLIC_KEY_PEM, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    assert.ok(verify('sha256', Buffer.from('stats1234'), pss, signature));
    assert.deepEqual(signatureSchemeFields(library), { verifylib: 1 });
  });

  it('when the ID of a key pair is computed, then it is the hash of the public key', () => {
    assert.equal(keyIdOf(PUBLIC_KEY_PEM), '5b7fe66b76ab7b09f4cd12b2e90f86b1bf13272ad313ecf1d1152a5b04a299a4');
  });

  it('when a private key is parsed, then it is the key of the PEM, also if OpenSSL has to read it', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    for (const key of [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, other])
      assert.ok(parsePrivateKey(key.export({ type: 'pkcs8', format: 'pem' }).toString()).equals(key));
    const pkcs1 = createPrivateKey(PRIVATE_KEY_PEM).export({ type: 'pkcs1', format: 'pem' }).toString();
    assert.ok(parsePrivateKey(pkcs1).equals(createPrivateKey(PRIVATE_KEY_PEM)));
    for (const damaged of ['', PRIVATE_KEY_PEM.slice(0, 400), PRIVATE_KEY_PEM.replace('MII', 'MIF')])
      assert.throws(() => parsePrivateKey(damaged));
  });

  it('when there are many keys or a site is deleted, then the number of cached keys is limited and none of that site is left', async () => {
    const signer = createSiteKeySigner(2);
    const pair = { privateKeyPem: PRIVATE_KEY_PEM };
    for (const keyId of ['a', 'b', 'c']) await signer.sign({ ...pair, keyId, siteId: 1 }, 'x', '');
    // A cached key is not parsed again, so its text can be invalid.
    await signer.sign({ keyId: 'c', privateKeyPem: 'gone' }, 'x', '');
    assert.throws(() => void signer.sign({ keyId: 'a', privateKeyPem: 'gone' }, 'x', ''));
    await signer.sign({ ...pair, keyId: 'd', siteId: 7 }, 'x', '');
    signer.forget(7);
    assert.throws(() => void signer.sign({ keyId: 'd', privateKeyPem: 'gone' }, 'x', ''));
  });

  it('when more sites are called than keys fit, then the cached keys stay, and a new key of a site replaces its old one', async () => {
    const signer = createSiteKeySigner(2);
    const sign = (keyId: string, siteId: number, privateKeyPem = PRIVATE_KEY_PEM): Promise<string> =>
      signer.sign({ keyId, privateKeyPem, siteId }, 'x', '');
    for (const siteId of [1, 2, 3]) await sign(`key-${siteId}`, siteId);
    // A cached key is not parsed again, so its text can be invalid.
    for (const siteId of [1, 2]) await sign(`key-${siteId}`, siteId, 'gone');
    assert.throws(() => void sign('key-3', 3, 'gone'));
    await sign('renewed', 1);
    await sign('renewed', 1, 'gone');
    assert.throws(() => void sign('key-1', 1, 'gone'));
    signer.forget(2);
    await sign('key-3', 3);
    await sign('key-3', 3, 'gone');
  });

  it('when a nonce is created, then the child does not change it', () => {
    for (let round = 0; round < 100; round += 1) assert.match(makeNonce(), /^\d{1,15}$/);
  });
});

describe('key pairs', () => {
  it('when key pairs are created, then each is unique and has the format of the child, also from the reserve', async () => {
    const source = createKeyPairSource(2);
    const pairs = [await source.next(), await source.next(), await source.next()];
    assert.equal(new Set(pairs.map(({ keyId }) => keyId)).size, 3);
    for (const { keyId, publicKeyPem, privateKeyPem } of pairs) {
      assert.match(publicKeyPem, /^-----BEGIN PUBLIC KEY-----\n[\s\S]+\n-----END PUBLIC KEY-----\n$/);
      assert.match(privateKeyPem, /^-----BEGIN PRIVATE KEY-----\n/);
      assert.equal(publicKeyPem.length, 451);
      assert.equal(keyId, keyIdOf(publicKeyPem));
      const signature = await createSiteKeySigner().sign({ keyId, privateKeyPem }, 'stats', '7');
      assert.ok(verify('sha256', Buffer.from('stats7'), publicKeyPem, Buffer.from(signature, 'base64')));
    }
  });
});
