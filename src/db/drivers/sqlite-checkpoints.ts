import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { sqliteModuleName } from './sqlite-module.ts';

/**
 * Number of bytes by which the write-ahead log grows before it is copied into the database file. This is four times the
 * SQLite default, so that pages that change repeatedly are copied only once.
 */
export const LOG_BYTES = 16_000_000;

const OPENING_WAIT_MS = 5000;
/**
 * Maximum number of copies in a row. If the log has not grown during a copy, that copy is the last: SQLite then writes
 * the next commit to the start of the log.
 */
const MOST_PASSES = 20;

/**
 * Program of the thread. It is a text, because a thread cannot load TypeScript in tests and starts faster without
 * modules.
 */
const PROGRAM = `
  process.emitWarning = () => undefined;
  const { module, file: name } = require('node:worker_threads').workerData;
  const { DatabaseSync } = require(module);
  const file = new DatabaseSync(name, { timeout: ${OPENING_WAIT_MS} });
  const checkpoint = file.prepare('pragma wal_checkpoint(passive)');
  let pages = 0;
  for (let pass = 0; pass < ${MOST_PASSES}; pass++) {
    const { log } = checkpoint.get();
    if (log === pages) break;
    pages = log;
  }
  file.close();
`;

/**
 * Copies the write-ahead log into the database file. A separate thread does it, because the copy waits for the disk.
 */
export class SqliteCheckpoints {
  readonly #file: string;
  #worker: Worker | null = null;
  #copiedBytes = 0;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  afterCommit(): void {
    if (this.#worker || this.#isClosed) return;
    const bytes = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    // SQLite shortens the file to `LOG_BYTES` when it begins the log again. Nothing of the new log is copied yet.
    if (bytes <= LOG_BYTES) this.#copiedBytes = 0;
    if (bytes - this.#copiedBytes <= LOG_BYTES) return;
    this.#copiedBytes = bytes;
    this.#copy();
  }

  #copy(): void {
    const workerData = { module: sqliteModuleName, file: this.#file };
    this.#worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    this.#worker.unref();
    // If the copy fails, the log keeps the data, and the next copy includes it.
    this.#worker.on('error', () => undefined);
    this.#worker.on('exit', () => (this.#worker = null));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#worker) return;
    this.#worker.ref();
    await new Promise((resolve) => this.#worker?.on('exit', resolve));
  }
}
