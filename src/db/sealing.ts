import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { StartupError } from '../shared/startup-error.ts';

const VERSION = 'v1';
export const KEY_BYTES = 32;
/** Length of the authentication tag of AES-GCM. Without a set length, Node accepts short tags, which can be guessed. */
const TAG_BYTES = 16;

export function parseSealingKey(text: string, place: string): Buffer {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== KEY_BYTES) throw new StartupError(`${place} must be ${KEY_BYTES} bytes in base64.`);
  return bytes;
}

/**
 * Encrypts secrets for storage, and hashes secrets that are only compared. Encryption is AES-256-GCM with the place of
 * the secret as associated data, so that a text that was moved to another row or column cannot be decrypted. Hashes are
 * keyed, so that nobody can find the secrets of a stolen table by trying values. They need no slow password hash,
 * because the hashed secrets are generated with at least 128 bits.
 */
export class Sealing {
  readonly #sealKey: Buffer;
  readonly #hashKey: Buffer;

  constructor(secret: Buffer) {
    if (secret.length !== KEY_BYTES) throw new Error('The sealing key must be 32 bytes.');
    this.#sealKey = Buffer.from(hkdfSync('sha256', secret, '', 'sitefleet seal', KEY_BYTES));
    this.#hashKey = Buffer.from(hkdfSync('sha256', secret, '', 'sitefleet credential hash', KEY_BYTES));
  }

  static newKey(): Buffer {
    return randomBytes(KEY_BYTES);
  }

  /** `place` names where the encrypted text is stored, e.g. `site_secrets.private_key:12`. */
  seal(text: string, place: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, iv).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [
      VERSION,
      iv.toString('base64url'),
      cipher.getAuthTag().toString('base64url'),
      sealed.toString('base64url'),
    ].join('.');
  }

  open(sealed: string, place: string): string {
    const [version, iv, tag, text] = sealed.split('.');
    if (version !== VERSION || !iv || !tag || text === undefined)
      throw new Error(`The secret at ${place} cannot be read.`);
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#sealKey, Buffer.from(iv, 'base64url'), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new Error(`The secret at ${place} was sealed with another key.`, { cause: error });
    }
  }

  sealOptional(text: string | null, place: string): string | null {
    return text === null ? null : this.seal(text, place);
  }

  openOptional(sealed: string | null, place: string): string | null {
    return sealed === null ? null : this.open(sealed, place);
  }

  hash(credential: string): string {
    return createHmac('sha256', this.#hashKey).update(credential).digest('hex');
  }
}

export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHmac('sha256', 'compare').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(left, right);
}
