import { chunks } from '../db/chunks.ts';
import { SECOND } from '../shared/clock.ts';
import { DatabaseUnavailableError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { JobStore } from './job-store.ts';
import type { FinishedItem, LeasedItem } from './job.ts';

/** Outcomes that arrive within this time, or while others are being recorded, share one transaction. */
const RECORD_AFTER_MS = 50;
const RECORD_AT = 64;
const RECORD_AGAIN_MS = SECOND;

export interface OutcomeRecorderOptions {
  store: JobStore;
  owner: string;
  logger: Logger;
  onRecorded: (recorded: { batch: readonly FinishedItem[]; doneJobIds: readonly string[] }) => void;
}

export class OutcomeRecorder {
  readonly #options: OutcomeRecorderOptions;
  readonly #finished: FinishedItem[] = [];
  #timer: NodeJS.Timeout | null = null;
  #recording: Promise<void> = Promise.resolve();
  #isLast = false;

  constructor(options: OutcomeRecorderOptions) {
    this.#options = options;
  }

  get unrecorded(): LeasedItem[] {
    return this.#finished.map(({ item }) => item);
  }

  /**
   * Adds an outcome to be recorded. `isAwaited` records it without delay. It is true if a caller waits for the outcome,
   * or if no other item is running.
   */
  add(finished: FinishedItem, isAwaited = false): void {
    this.#finished.push(finished);
    if (isAwaited || this.#finished.length >= RECORD_AT) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), RECORD_AFTER_MS);
  }

  /**
   * Gives each later recording only one attempt, because the worker has stopped. If it fails, the outcomes are dropped
   * and the leases of their items expire.
   */
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
      const isAway = error instanceof DatabaseUnavailableError;
      if (isAway && !this.#isLast) this.#keepForLater(batch);
      // One outcome that cannot be stored must not take the others with it.
      else if (!isAway && batch.length > 1) for (const each of batch) await this.#record([each]);
      else logger.error({ err: error, items: batch.length }, 'results could not be recorded; their leases will expire');
    }
  }

  #keepForLater(batch: FinishedItem[]): void {
    this.#finished.unshift(...batch);
    this.#timer ??= setTimeout(() => void this.flush(), RECORD_AGAIN_MS);
  }
}
