import { chunks } from '../db/chunks.ts';
import { SECOND } from '../shared/clock.ts';
import { DatabaseUnavailableError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { JobStore } from './job-store.ts';
import type { FinishedItem, LeasedItem } from './job.ts';

/**
 * Outcomes are recorded together when several come within this time, or while others are recorded: one transaction
 * instead of many.
 */
const RECORD_AFTER_MS = 25;
const RECORD_AT = 64;
const RECORD_AGAIN_MS = SECOND;

export interface RecorderOptions {
  store: JobStore;
  owner: string;
  logger: Logger;
  onRecorded: (recorded: { batch: readonly FinishedItem[]; doneJobIds: readonly string[] }) => void;
}

/** Records the outcomes of items. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #finished: FinishedItem[] = [];
  #timer: NodeJS.Timeout | null = null;
  #recording: Promise<void> = Promise.resolve();
  #isLast = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Items whose outcome is known here alone. */
  get unrecorded(): LeasedItem[] {
    return this.#finished.map(({ item }) => item);
  }

  /** `isAwaited` when nothing else is under way that it could be recorded with, or somebody waits for it alone. */
  add(finished: FinishedItem, isAwaited = false): void {
    this.#finished.push(finished);
    if (isAwaited || this.#finished.length >= RECORD_AT) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), RECORD_AFTER_MS);
  }

  /** From now on each outcome has one try. */
  close(): void {
    this.#isLast = true;
  }

  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#recording = this.#recording.then(() => this.#recordAll());
    return this.#recording;
  }

  async #recordAll(): Promise<void> {
    for (const batch of chunks(this.#finished.splice(0), RECORD_AT)) await this.#record(batch);
  }

  async #record(batch: FinishedItem[]): Promise<void> {
    const { store, owner, logger, onRecorded } = this.#options;
    try {
      onRecorded({ batch, doneJobIds: await store.record(owner, batch) });
    } catch (error) {
      if (error instanceof DatabaseUnavailableError && !this.#isLast) this.#keepForLater(batch);
      else
        logger.error({ err: error, items: batch.length }, 'outcomes could not be recorded; their leases will run out');
    }
  }

  /**
   * What is known is not thrown away because the database is: it is recorded once it is back, if the lease still
   * stands.
   */
  #keepForLater(batch: FinishedItem[]): void {
    this.#finished.unshift(...batch);
    this.#timer ??= setTimeout(() => void this.flush(), RECORD_AGAIN_MS);
  }
}
