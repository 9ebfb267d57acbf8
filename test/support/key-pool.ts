import { generateKeyPairSync, createHash } from 'node:crypto';
import type { KeyPair, KeyPairSource } from '../../src/connector/child-site.ts';

const POOL_SIZE = 8;
const pool: KeyPair[] = [];

function pair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return {
    keyId: createHash('sha256').update(publicKeyPem).digest('hex'),
    publicKeyPem,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * Hands out a few real pairs in turn: making one takes a tenth of a second of processor, and tests connect many sites.
 */
export function pooledKeyPairs(): KeyPairSource {
  let next = 0;
  return {
    next: async () => {
      const index = next++ % POOL_SIZE;
      return (pool[index] ??= pair());
    },
  };
}
