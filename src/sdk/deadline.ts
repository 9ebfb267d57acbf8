import { TimeoutError } from './errors.ts';

/** Maximum delay of a timer in milliseconds, about 24.8 days. Timers with a longer delay run at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Deadline {
  /**
   * Request that the signal aborts. It is kept in memory with the deadline, because in Node a `fetch` follows its
   * signal only as long as the `Request` exists.
   */
  request: globalThis.Request | undefined;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);

  constructor(signal: AbortSignal | undefined, timeoutMs: number | undefined, what = 'call') {
    this.#outer = signal;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener('abort', this.#abort, { once: true });
    if (timeoutMs !== undefined && Number.isFinite(timeoutMs))
      this.#timer = setTimeout(
        () => this.#controller.abort(new TimeoutError(`The ${what} did not end within ${timeoutMs} ms.`)),
        Math.min(timeoutMs, LONGEST_TIMER_MS),
      );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.stop();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}

export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
