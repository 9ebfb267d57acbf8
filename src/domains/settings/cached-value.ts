import type { Clock } from '../../shared/clock.ts';

/**
 * Something small from the database that is asked for all the time: loaded by one caller while the others wait, held
 * for `maxAge`, and dropped after a change of ours.
 */
export class CachedValue<T> {
  readonly #load: () => Promise<T>;
  readonly #clock: Clock;
  readonly #maxAge: number;
  #held: { value: T; since: number } | null = null;
  #loading: Promise<T> | null = null;
  #triedAt = -Infinity;

  constructor(load: () => Promise<T>, clock: Clock, maxAge: number) {
    this.#load = load;
    this.#clock = clock;
    this.#maxAge = maxAge;
  }

  async get(): Promise<T> {
    return this.#held && this.#clock.now() - this.#held.since < this.#maxAge ? this.#held.value : this.refresh();
  }

  /** What was held last, without waiting; null before the first load. What is too old is loaded anew meanwhile. */
  peek(): T | null {
    const { since } = this.#held ?? { since: -Infinity };
    // While the database is away, one attempt per age and not one per call.
    if (this.#clock.now() - Math.max(since, this.#triedAt) >= this.#maxAge) this.refresh().catch(() => undefined);
    return this.#held?.value ?? null;
  }

  refresh(): Promise<T> {
    return this.#loading ?? this.#start();
  }

  /** What is being loaded at this moment may have been read before the change: it is not kept. */
  invalidate(): void {
    if (this.#held) this.#held = { ...this.#held, since: -Infinity };
    this.#loading = null;
    this.#triedAt = -Infinity;
  }

  #start(): Promise<T> {
    const since = this.#clock.now();
    this.#triedAt = since;
    const loading: Promise<T> = this.#load()
      .then((value) => {
        if (this.#loading === loading) this.#held = { value, since };
        return value;
      })
      .finally(() => {
        if (this.#loading === loading) this.#loading = null;
      });
    this.#loading = loading;
    return loading;
  }
}
