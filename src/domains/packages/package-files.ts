import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { endLongTurn } from '../../shared/event-loop.ts';

export const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');

export interface PackageFile {
  size: number;
  /** Reads the file in parts. */
  content: () => Readable;
}

const HASHED_AT_ONCE = 1024 * 1024;

/** Hashes a zip of up to 64 MiB without delaying other work of the process. */
export async function sha256OfZip(zip: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < zip.length; start += HASHED_AT_ONCE) {
    await endLongTurn();
    hash.update(zip.subarray(start, start + HASHED_AT_ONCE));
  }
  return hash.digest('hex');
}

const FOLDER = /^[0-9a-f]{2}$/;
/** Name of a file or of a draft, whose name ends with a UUID. */
const FILE = /^([0-9a-f]{64})\.zip(\.[0-9a-f-]{36})?$/;

export interface LeftFile {
  path: string;
  /** Null for a draft. */
  sha256: string | null;
}

export class PackageFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a draft and renames it, so that no process reads a part of the file. */
  async write(bytes: Buffer, sha256: string): Promise<void> {
    const path = this.#path(sha256);
    const draft = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' });
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
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

  async *writtenBefore(time: number): AsyncGenerator<LeftFile> {
    for (const folder of await namesIn(this.#folder)) {
      if (!FOLDER.test(folder)) continue;
      for (const name of await namesIn(join(this.#folder, folder))) {
        const [, sha256, draft] = FILE.exec(name) ?? [];
        const path = join(this.#folder, folder, name);
        if (sha256 !== undefined && (await mtimeOf(path)) < time)
          yield { path, sha256: draft === undefined ? sha256 : null };
      }
    }
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), `${sha256}.zip`);
  }
}

const unlessMissing = async <T>(read: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
};

const namesIn = (folder: string): Promise<string[]> => unlessMissing(readdir(folder), []);

/** Infinity if the file was deleted meanwhile. */
const mtimeOf = (path: string): Promise<number> =>
  unlessMissing(
    stat(path).then(({ mtimeMs }) => mtimeMs),
    Infinity,
  );

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
