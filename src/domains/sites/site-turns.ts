/**
 * One run at a time for a site, or for a thing on it, within this process: the next one plans with what the one before
 * has done, instead of asking for it again.
 */
export class SiteTurns {
  readonly #last = new Map<number | string, Promise<unknown>>();

  async take<T>(key: number | string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
