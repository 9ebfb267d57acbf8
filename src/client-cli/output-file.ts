import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { UsageError } from './exit-codes.ts';

/**
 * File that `--output` names. It is opened before the call, so that no call is made for a wrong path. The file gets its
 * final name when it is complete. Devices such as `/dev/stdout` are written directly.
 */
export class OutputFile {
  readonly path: string;
  readonly #part: string;
  readonly #handle: FileHandle;

  private constructor(path: string, part: string, handle: FileHandle) {
    this.path = path;
    this.#part = part;
    this.#handle = handle;
  }

  static async open(path: string): Promise<OutputFile> {
    const stats = await stat(path).catch(() => null);
    const isDevice = stats !== null && !stats.isFile();
    const part = isDevice ? path : `${path}.${process.pid}.part`;
    try {
      return new OutputFile(path, part, await open(part, 'w'));
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
    }
  }

  /** Returns the number of bytes. Removes the incomplete file if reading or writing a chunk fails. */
  async write(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        await this.#handle.appendFile(chunk);
        bytes += chunk.length;
      }
      await this.#handle.close();
      if (this.#part !== this.path) await rename(this.#part, this.path);
      return bytes;
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#part !== this.path) await rm(this.#part, { force: true });
  }
}
