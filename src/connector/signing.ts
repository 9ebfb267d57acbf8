import { constants, createPrivateKey, randomInt, sign, type KeyObject } from 'node:crypto';
import type { Fields } from './payload.ts';

/** PHP's numbers of the digests (protocol 3.1). A weaker one is used where it is set, and never fallen back to. */
const SIGN_ALGO = { sha1: 1, sha224: 6, sha256: 7, sha384: 8, sha512: 9 } as const;
export type SignatureDigest = keyof typeof SIGN_ALGO;

/**
 * How calls are signed: `openssl` is PKCS#1 v1.5 with a digest, which PHP's own OpenSSL verifies; `library` is PSS with
 * SHA-256, which the library verifies that the child plugin brings along.
 */
export interface SignatureScheme {
  method: 'openssl' | 'library';
  /** Of `openssl`. */
  digest: SignatureDigest;
}

/** The one that every child takes. */
export const DEFAULT_SCHEME: SignatureScheme = { method: 'openssl', digest: 'sha256' };

export const isDefaultScheme = ({ method, digest }: SignatureScheme): boolean =>
  method === DEFAULT_SCHEME.method && digest === DEFAULT_SCHEME.digest;

/** What tells the child how to verify. */
export const schemeFields = ({ method, digest }: SignatureScheme): Fields =>
  method === 'library' ? { verifylib: 1 } : { sign_algo: SIGN_ALGO[digest] };

const MAX_KEYS = 5_000;
/** The library takes no other length of the salt. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

export interface SigningKey {
  keyId: string;
  privateKeyPem: string;
  siteId?: number | null;
}

export interface Signer {
  /** Base64 of the RSA signature over `function` and `nonce` without a separator. */
  sign(key: SigningKey, functionName: string, nonce: string, scheme?: SignatureScheme): Promise<string>;
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
    sign(signingKey, functionName, nonce, { method, digest } = DEFAULT_SCHEME) {
      const parsed = keyOf(signingKey);
      const [hash, key] = method === 'library' ? ['sha256', { key: parsed, ...PSS }] : [digest, parsed];
      // With a callback the work is done on the thread pool.
      return new Promise((resolve, reject) => {
        sign(hash, Buffer.from(functionName + nonce, 'utf8'), key, (error, signature) => {
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
