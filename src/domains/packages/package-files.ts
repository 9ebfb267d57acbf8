import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const sha256Of = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

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

  async read(sha256: string): Promise<Buffer | null> {
    const bytes = await readFile(this.#path(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes && sha256Of(bytes) === sha256 ? bytes : null;
  }

  async delete(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true });
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), `${sha256}.zip`);
  }
}
