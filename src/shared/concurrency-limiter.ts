import { nextEventLoopTurn } from './event-loop.ts';

/**
 * Limits the number of concurrent tasks and starts them in order of arrival. Each task starts in its own turn of the
 * event loop, so that simultaneous responses of many sites do not block other callers until all are processed.
 */
export class ConcurrencyLimiter {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await nextEventLoopTurn();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
