import { once, type EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withEitherSignal } from './either-signal.ts';
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
    await withEitherSignal([signal, pause.signal], async (either) => {
      const ends: Promise<unknown>[] = [sleep(everyMs, undefined, { signal: either })];
      if (kicks) ends.push(once(kicks, 'kick', { signal: either }));
      await Promise.race(ends.map((end) => end.catch(() => undefined)));
      pause.abort();
    });
  }
}
