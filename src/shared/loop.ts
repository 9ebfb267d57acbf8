import { once, type EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

export interface LoopOptions {
  everyMs: number;
  /** Ends the loop. */
  signal: AbortSignal;
  logger: Logger;
  /** What is logged when the work fails; it is tried again. */
  failure: string;
  /** Its `kick` ends a pause early. */
  kicks?: EventEmitter;
}

/** Works again and again, and goes on when it fails. */
export async function loop(
  { everyMs, signal, logger, failure, kicks }: LoopOptions,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      logger.error({ err: error }, failure);
    }
    const pause = new AbortController();
    const either = { signal: AbortSignal.any([signal, pause.signal]) };
    const ends: Promise<unknown>[] = [sleep(everyMs, undefined, either)];
    if (kicks) ends.push(once(kicks, 'kick', either));
    await Promise.race(ends.map((end) => end.catch(() => undefined)));
    pause.abort();
  }
}
