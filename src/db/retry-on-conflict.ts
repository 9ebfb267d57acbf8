import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Repeats `run` after errors that another writer caused, up to nine times. The pauses are random, so that two writers
 * do not conflict again each time.
 */
export async function retryOnConflict<T>(
  isCausedByOther: (error: unknown) => boolean,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isCausedByOther(error)) throw error;
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * Math.random());
    }
  }
}
