/**
 * Lets so many pieces of work go on at a time, in the order in which they came. Each begins in a turn of the event loop
 * of its own, so that what many sites answer at once does not keep a caller waiting until all of it is dealt with.
 */
export class Lanes {
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

/**
 * Waits for a turn of the event loop that no other caller of the same gate has. Put in front of work that is long for
 * one turn, it lets everything else that is ready go between any two pieces of it.
 */
export function turnGate(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isOpening = false;
  const open = (): void => {
    waiting.shift()?.();
    // What was let through goes on in microtasks; a tick that the last of them asks for comes when all of it is done.
    queueMicrotask(() =>
      process.nextTick(() => {
        isOpening = waiting.length > 0;
        if (isOpening) setImmediate(open);
      }),
    );
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (isOpening) return;
      isOpening = true;
      setImmediate(open);
    });
}

/** The gate of this process: all long pieces of work about sites pass through it, whatever they are. */
export const ownTurn = turnGate();
