import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SECOND } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import type { FileCheckInput, FileCheckResult } from './file-check.ts';

export type IntegrityState = 'unchecked' | 'ok' | 'damaged';

const CHECK_LIMIT_MS = 60 * SECOND;

/** A file that was found damaged counts as damaged until a backup is restored and checked. */
export class FileIntegrity {
  readonly #file: string;
  readonly #logger: Logger;
  #state: IntegrityState = 'unchecked';
  #worker: Worker | null = null;

  constructor(file: string, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
  }

  get state(): IntegrityState {
    return this.#state;
  }

  check(): void {
    if (this.#worker) return;
    const name = join(import.meta.dirname, `file-check${extname(import.meta.filename)}`);
    const workerData: FileCheckInput = { file: this.#file, until: Date.now() + CHECK_LIMIT_MS };
    const worker = new Worker(name, { workerData });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (result: FileCheckResult) => this.#conclude(result));
    worker.on('error', (err) => this.#logger.warn({ err }, 'the check of the database file failed'));
    worker.on('exit', () => (this.#worker = null));
  }

  /**
   * Call this with a statement's error if the error shows that the file is damaged. Starts a check that logs which
   * tables are damaged.
   */
  reportDamage(error: unknown): void {
    if (this.#state === 'damaged') return;
    this.#state = 'damaged';
    this.#logger.error({ err: error }, 'the database file is damaged');
    this.check();
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #conclude({ problems, isComplete }: FileCheckResult): void {
    if (problems.length > 0) {
      const isKnown = this.#state === 'damaged';
      this.#state = 'damaged';
      this.#logger.error({ problems }, isKnown ? 'extent of the damage' : 'the database file is damaged');
    } else if (!isComplete) {
      this.#logger.warn(`the check of the database file was ended after ${CHECK_LIMIT_MS / SECOND} seconds`);
    } else if (this.#state === 'unchecked') {
      this.#state = 'ok';
    }
  }
}
