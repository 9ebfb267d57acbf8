import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';

export const sha256Of = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

export interface PackageFile {
  size: number;
  /** Reads the file in parts. */
  content: () => Readable;
}

export class PackageFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a draft and renames it, so that no process reads a part of the file. Returns the SHA-256. */
  async write(bytes: Buffer): Promise<string> {
    const sha256 = sha256Of(bytes);
    const path = this.#path(sha256);
    const draft = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' });
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    return sha256;
  }

  /** Returns null if the file is missing or has another hash. */
  async open(sha256: string): Promise<PackageFile | null> {
    const path = this.#path(sha256);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
        hash.update(part);
        size += part.length;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    if (hash.digest('hex') !== sha256) return null;
    return { size, content: () => Readable.from(readUnchanged(path, size, sha256), { objectMode: false }) };
  }

  async delete(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true });
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), `${sha256}.zip`);
  }
}

/**
 * Yields a file, but the last part only if the whole file has the hash. A file that changes after `open` therefore
 * never reaches a site completely.
 */
async function* readUnchanged(path: string, size: number, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | null = null;
  let rest = size;
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(part);
    rest -= part.length;
    if (rest < 0) break;
    if (held) yield held;
    held = part;
  }
  if (rest !== 0 || hash.digest('hex') !== sha256) throw new Error('the file of a package changed while it was sent');
  if (held) yield held;
}
