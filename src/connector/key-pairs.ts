import { createHash, generateKeyPair } from 'node:crypto';
import type { KeyPair, KeyPairSource } from './child-site.ts';

/** Generates an RSA 2048 key pair as SPKI and PKCS#8 PEM (protocol 2.2) on the thread pool. */
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

export function keyIdOf(publicKeyPem: string): string {
  return createHash('sha256').update(publicKeyPem, 'utf8').digest('hex');
}

/**
 * Creates a source of key pairs, each of which is returned once. After the first request it generates `reserve` pairs
 * in advance, so that adding a site seldom waits.
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
