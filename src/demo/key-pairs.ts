import { createKeyPairSource, type KeyPairSource } from '../connector/index.ts';

export interface DemoKeyPairs {
  source: KeyPairSource;
  endSharing: () => void;
}

/**
 * Returns a source that gives all sites the same key pair until `endSharing` is called. Generating an RSA key takes
 * about 0.1 s of processor time, and the demo would need 16 keys.
 */
export function createDemoKeyPairs(): DemoKeyPairs {
  const shared = createKeyPairSource().next();
  const own = createKeyPairSource(2);
  let isSharing = true;
  return {
    source: { next: () => (isSharing ? shared : own.next()) },
    endSharing: () => (isSharing = false),
  };
}
