import { createPrivateKey, randomInt, sign, type KeyObject } from 'node:crypto';

/** PHP's number for SHA-256 (protocol 3.1). SHA-1 is never offered: there is no falling back. */
export const SIGN_ALGO = 7;

const MAX_KEYS = 5_000;

export interface SigningKey {
  keyId: string;
  privateKeyPem: string;
  siteId?: number | null;
}

export interface Signer {
  /** Base64 of the RSA-SHA256 PKCS#1 v1.5 signature over `function` and `nonce` without a separator. */
  sign(key: SigningKey, functionName: string, nonce: string): Promise<string>;
  /** Drops the parsed keys of a site. */
  forget(siteId: number): void;
}

/** Parsing a key costs three times what signing does, so parsed keys are kept, the least used dropped first. */
export function createSigner(maxKeys = MAX_KEYS): Signer {
  const keys = new Map<string, { key: KeyObject; siteId: number | null }>();

  function keyOf({ keyId, privateKeyPem, siteId = null }: SigningKey): KeyObject {
    const key = keys.get(keyId)?.key ?? createPrivateKey(privateKeyPem);
    keys.delete(keyId);
    keys.set(keyId, { key, siteId });
    if (keys.size > maxKeys) keys.delete(keys.keys().next().value ?? '');
    return key;
  }

  return {
    sign(signingKey, functionName, nonce) {
      const key = keyOf(signingKey);
      // With a callback the work is done on the thread pool.
      return new Promise((resolve, reject) => {
        sign('RSA-SHA256', Buffer.from(functionName + nonce, 'utf8'), key, (error, signature) => {
          if (error) reject(error);
          else resolve(signature.toString('base64'));
        });
      });
    },
    forget(siteId) {
      for (const [keyId, kept] of keys) if (kept.siteId === siteId) keys.delete(keyId);
    },
  };
}

/** The child remembers no nonce; the number only keeps signatures from being equal (protocol 3.3). */
export const makeNonce = (): string => String(randomInt(0, 2 ** 31));
