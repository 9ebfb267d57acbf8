import { ownTurn } from './event-loop.ts';

/**
 * Lets so many pieces of work go on at a time, in the order in which they came. Each begins in a turn of the event loop
 * of its own, so that what many sites answer at once does not keep a caller waiting until all of it is dealt with.
 */
export class Limiter {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await ownTurn();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
