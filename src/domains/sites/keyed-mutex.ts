/** Runs tasks with the same key one after another. Does not exclude tasks of other processes. */
export class KeyedMutex {
  readonly #last = new Map<number | string, Promise<unknown>>();

  async runExclusive<T>(key: number | string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const lease = before.then(work, work);
    this.#last.set(key, lease);
    try {
      return await lease;
    } finally {
      if (this.#last.get(key) === lease) this.#last.delete(key);
    }
  }
}
