import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';

const DIGESTS: Record<string, string> = { '1': 'sha1', '6': 'sha224', '7': 'sha256', '8': 'sha384', '9': 'sha512' };

export type Verdict = 'good' | 'bad' | 'sha1-refused';

export interface SignedFields {
  /** `function` (in login links `where`) followed by `nonce`, without a separator. */
  message: string;
  signature: string;
  signAlgo: string | undefined;
  verifyLib: boolean;
}

/**
 * Returns null for an invalid key. The child registers such a key too, and fails only when it verifies a signature
 * (protocol 2.2).
 */
export function readPublicKey(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

/**
 * Verifies an RSA signature as the child does. `verifylib` selects the padding PSS with SHA-256 and a salt of exactly
 * 32 bytes. Without it, the padding is PKCS#1 v1.5, and `sign_algo` selects the digest. If `sign_algo` is missing, the
 * digest is SHA-1, but only until a signature with `sign_algo` was valid (`seenAlgo` is then above 0). SHA-1 is refused
 * after a stronger digest.
 */
export function verifySignature(key: KeyObject | null, signed: SignedFields, seenAlgo: number): Verdict {
  if (key === null) return 'bad';
  const message = Buffer.from(signed.message, 'utf8');
  const signature = Buffer.from(signed.signature, 'base64');
  if (signed.verifyLib) {
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return toSignatureVerdict(() => verify('sha256', message, pss, signature));
  }
  if (signed.signAlgo === undefined) {
    return seenAlgo > 0 ? 'bad' : toSignatureVerdict(() => verify('sha1', message, key, signature));
  }
  if (signed.signAlgo === '1' && seenAlgo > 1) return 'sha1-refused';
  const digest = DIGESTS[signed.signAlgo];
  return digest === undefined ? 'bad' : toSignatureVerdict(() => verify(digest, message, key, signature));
}

function toSignatureVerdict(verification: () => boolean): Verdict {
  try {
    return verification() ? 'good' : 'bad';
  } catch {
    return 'bad';
  }
}
