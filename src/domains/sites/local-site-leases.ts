/**
 * One run at a time for a site, or for a thing on it, within this process: the next one plans with what the one before
 * has done, instead of asking for it again.
 */
export class LocalSiteLeases {
  readonly #last = new Map<number | string, Promise<unknown>>();

  async hold<T>(key: number | string, work: () => Promise<T>): Promise<T> {
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
