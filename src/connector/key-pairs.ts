import { createHash, generateKeyPair } from 'node:crypto';
import type { KeyPair, KeyPairSource } from './child-site.ts';

/** RSA 2048 as SPKI and PKCS#8 PEM (protocol 2.2), made on the thread pool. */
export function makeKeyPair(): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    generateKeyPair(
      'rsa',
      {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      },
      (error, publicKeyPem, privateKeyPem) => {
        if (error) reject(error);
        else resolve({ keyId: keyIdOf(publicKeyPem), publicKeyPem, privateKeyPem });
      },
    );
  });
}

/** A key pair goes by the SHA-256 of its public PEM, in hex. */
export function keyIdOf(publicKeyPem: string): string {
  return createHash('sha256').update(publicKeyPem, 'utf8').digest('hex');
}

/**
 * Hands out key pairs. With a reserve, that many are made ahead once the first was asked for, so that adding a site
 * seldom waits for one; a pair is handed out once.
 */
export function createKeyPairSource(reserve = 0): KeyPairSource {
  const ready: Promise<KeyPair>[] = [];

  function refill(): void {
    while (ready.length < reserve) {
      const pair = makeKeyPair();
      pair.catch(() => {
        const place = ready.indexOf(pair);
        if (place >= 0) void ready.splice(place, 1);
      });
      ready.push(pair);
    }
  }

  return {
    async next() {
      const pair = await (ready.shift() ?? makeKeyPair());
      refill();
      return pair;
    },
  };
}
