import { loadKeyPool, keyPairAt } from '../../scripts/bench/keys.ts';
import type { KeyPairSource } from '../../src/connector/child-site.ts';

/**
 * Hands out a few real pairs in turn: making one takes a tenth of a second of processor, and tests connect many sites.
 */
export function pooledKeyPairs(): KeyPairSource {
  let next = 0;
  return { next: async () => keyPairAt((pool ??= loadKeyPool()), next++) };
}

let pool: ReturnType<typeof loadKeyPool> | undefined;
