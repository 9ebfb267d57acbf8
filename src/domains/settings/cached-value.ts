import { isRecent, type Clock } from '../../shared/clock.ts';

/** Caches one value from the database for `maxAge` milliseconds. Concurrent callers share one load. */
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
    return this.#held && this.#isRecent(this.#held.since) ? this.#held.value : this.refresh();
  }

  /**
   * Returns the last loaded value without waiting, or null before the first load. Reloads an old value in the
   * background.
   */
  peek(): T | null {
    const { since } = this.#held ?? { since: -Infinity };
    // While the database is unavailable, this allows one attempt per `maxAge` instead of one per call.
    if (!this.#isRecent(Math.max(since, this.#triedAt))) this.refresh().catch(() => undefined);
    return this.#held?.value ?? null;
  }

  refresh(): Promise<T> {
    return this.#loading ?? this.#start();
  }

  /**
   * Makes the next read load the value again. A load that is in progress may have read the value before the change, so
   * its result is not kept.
   */
  invalidate(): void {
    if (this.#held) this.#held = { ...this.#held, since: -Infinity };
    this.#loading = null;
    this.#triedAt = -Infinity;
  }

  #isRecent(time: number): boolean {
    return isRecent(time, this.#clock.now(), this.#maxAge);
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
