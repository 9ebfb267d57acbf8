import { write, writeSync } from 'node:fs';

const BUFFER_BYTES = 4096;
const FLUSH_MS = 250;
const RETRY_MS = 50;
/** Maximum size of unwritten lines if the reader of the log is too slow. Further lines are dropped. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const MAX_EXIT_ATTEMPTS = 20;

/**
 * Buffers log lines, because one write per line is expensive. Lines are written at 4,096 bytes, every 250 ms and at
 * process exit. If the reader has closed the pipe, logging stops and the process continues.
 */
export class LogOutput {
  readonly #fd: number;
  #waiting: string[] = [];
  #size = 0;
  #isSending = false;
  /** Bytes that the reader has not accepted yet. They are written again after a pause. */
  #unsent: Buffer | null = null;
  #isGone = false;

  constructor(fd: number) {
    this.#fd = fd;
    setInterval(() => this.flush(), FLUSH_MS).unref();
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#isGone || this.#size > MAX_BUFFERED_BYTES) return;
    this.#waiting.push(line);
    this.#size += line.length;
    if (this.#size >= BUFFER_BYTES) this.flush();
  }

  flush(): void {
    if (!this.#isSending && this.#size > 0) this.#send(this.#take());
  }

  flushSync(): void {
    let rest = Buffer.concat([this.#unsent ?? Buffer.alloc(0), this.#take()]);
    this.#unsent = null;
    for (let tries = 0; rest.length > 0 && tries < MAX_EXIT_ATTEMPTS;) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if (!isBusy(error)) return;
        tries++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#size = 0;
    return bytes;
  }

  #send(bytes: Buffer): void {
    this.#isSending = true;
    write(this.#fd, bytes, (error, written) => {
      if (isBusy(error)) this.#retry(bytes);
      else if (error) this.#lose();
      else if (written < bytes.length) this.#send(bytes.subarray(written));
      else {
        this.#isSending = false;
        if (this.#size >= BUFFER_BYTES) this.flush();
      }
    });
  }

  #retry(bytes: Buffer): void {
    this.#unsent = bytes;
    setTimeout(() => {
      if (this.#unsent === null) return;
      this.#unsent = null;
      this.#send(bytes);
    }, RETRY_MS).unref();
  }

  #lose(): void {
    this.#isGone = true;
    this.#take();
  }
}

const isBusy = (error: unknown): boolean =>
  ['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
