import { constants, randomBytes, randomInt, sign, type KeyObject } from 'node:crypto';
import { totalmem } from 'node:os';
import { readSecret, type SecretText } from '../shared/secret-text.ts';
import type { FormFields } from './form-encoding.ts';
import { parsePrivateKey } from './private-key.ts';

/** Numbers of the digests in PHP (protocol 3.1). A weak digest is used only if the operator has configured it. */
const SIGN_ALGO = { sha1: 1, sha224: 6, sha256: 7, sha384: 8, sha512: 9 } as const;
export type SignatureDigest = keyof typeof SIGN_ALGO;

/**
 * Scheme for signing calls. `openssl` is PKCS#1 v1.5 with a digest and is verified by PHP's OpenSSL. `library` is PSS
 * with SHA-256 and is verified by a library in the child plugin.
 */
export interface SignatureScheme {
  method: 'openssl' | 'library';
  digest: SignatureDigest;
}

/** Scheme that every child accepts. */
export const DEFAULT_SCHEME: SignatureScheme = { method: 'openssl', digest: 'sha256' };

export const isDefaultScheme = ({ method, digest }: SignatureScheme): boolean =>
  method === DEFAULT_SCHEME.method && digest === DEFAULT_SCHEME.digest;

export const signatureSchemeFields = ({ method, digest }: SignatureScheme): FormFields =>
  method === 'library' ? { verifylib: 1 } : { sign_algo: SIGN_ALGO[digest] };

/** Bytes that OpenSSL and the cache use per key. Measured: 6,700 after one signature, up to 11 KB after many. */
const BYTES_A_KEY = 11 * 1024;
/** Share of the memory of the machine or container that cached keys may use. With 4 GB, that is 23,800 keys. */
const SHARE_OF_MEMORY = 1 / 16;

function maxKeysInMemory(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.floor((memory * SHARE_OF_MEMORY) / BYTES_A_KEY);
}

/** Options of an RSA-PSS signature. With `verifylib`, the child plugin accepts only a salt of 32 bytes. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

export interface SigningKey {
  keyId: string;
  privateKeyPem: SecretText;
  siteId?: number | null;
}

export interface SiteKeySigner {
  /** Returns the RSA signature over `function` and `nonce` without a separator, in base64. */
  sign(key: SigningKey, functionName: string, nonce: string, scheme?: SignatureScheme): Promise<string>;
  forget(siteId: number): void;
}

/**
 * Creates a signer that caches the parsed key of each site, because the first signature of a parsed key takes twice as
 * long as a later one. A full cache keeps its keys: syncs call the sites in the same order each time, so a cache that
 * dropped the oldest key for a new one would drop each key before its next use.
 */
export function createSiteKeySigner(maxKeys = maxKeysInMemory()): SiteKeySigner {
  const keys = new Map<string, KeyObject>();
  const keyIdOfSite = new Map<number, string>();

  function forget(siteId: number): void {
    keys.delete(keyIdOfSite.get(siteId) ?? '');
    keyIdOfSite.delete(siteId);
  }

  function cachedPrivateKey({ keyId, privateKeyPem, siteId = null }: SigningKey): KeyObject {
    const known = keys.get(keyId);
    if (known) return known;
    const key = parsePrivateKey(readSecret(privateKeyPem));
    if (siteId === null) return key;
    forget(siteId);
    if (keys.size < maxKeys) {
      keys.set(keyId, key);
      keyIdOfSite.set(siteId, keyId);
    }
    return key;
  }

  return {
    sign(signingKey, functionName, nonce, { method, digest } = DEFAULT_SCHEME) {
      const parsed = cachedPrivateKey(signingKey);
      const [hash, key] = method === 'library' ? ['sha256', { key: parsed, ...PSS }] : [digest, parsed];
      // With a callback, Node signs on the thread pool and does not block the event loop.
      return new Promise((resolve, reject) => {
        sign(hash, Buffer.from(functionName + nonce, 'utf8'), key, (error, signature) => {
          if (error) reject(error);
          else resolve(signature.toString('base64'));
        });
      });
    },
    forget,
  };
}

const MAX_NONCE = 2 ** 48 - 1;

/**
 * Returns a random number that makes signatures differ. Children from 6.2 on refuse a signature that they have seen
 * before (protocol 3.3), so the range must be too large for the same number to come twice.
 */
export const makeNonce = (): string => String(randomInt(MAX_NONCE));

const SIGNATURE_BYTES = 256;

export function makeWrongSignature(): string {
  const bytes = randomBytes(SIGNATURE_BYTES);
  // The first byte makes the number smaller than every RSA modulus. Otherwise, the child would reject the signature as
  // malformed without verifying it.
  bytes[0] = 1;
  return bytes.toString('base64');
}
