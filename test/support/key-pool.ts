import { loadKeyPool, keyPairAt } from '../../scripts/bench/keys.ts';
import type { KeyPairSource } from '../../src/connector/child-site.ts';

/** Returns a few real pairs in turn. A new pair takes 0.1 seconds of processor time, and tests connect many sites. */
export function pooledKeyPairs(): KeyPairSource {
  let next = 0;
  return { next: async () => keyPairAt((pool ??= loadKeyPool()), next++) };
}

let pool: ReturnType<typeof loadKeyPool> | undefined;
