import { createHash } from 'node:crypto';

/** A file of a form. The bytes are in a private field, so code that logs or copies a request does not read them. */
export class UploadedFile {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Returns a hash of the file, for the fingerprint of an idempotent request. */
  toJSON(): string {
    return `sha256:${createHash('sha256').update(this.#bytes).digest('hex')}`;
  }
}
