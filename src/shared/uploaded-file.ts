import { createHash } from 'node:crypto';

/** A file of a form. The bytes are no property, so that nothing that walks through or prints a request reads them. */
export class UploadedFile {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Stands for the file in the fingerprint of an idempotent request. */
  toJSON(): string {
    return `sha256:${createHash('sha256').update(this.#bytes).digest('hex')}`;
  }
}
