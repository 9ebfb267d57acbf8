import { once, type EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

export interface RepeatOptions {
  everyMs: number;
  signal: AbortSignal;
  logger: Logger;
  failure: string;
  /** A `kick` event ends a pause early. */
  kicks?: EventEmitter;
}

export async function repeatUntilAborted(
  { everyMs, signal, logger, failure, kicks }: RepeatOptions,
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
