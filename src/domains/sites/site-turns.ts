/**
 * One run at a time for a site within this process: the next one plans with what the one before has done, instead of asking
 * for it again.
 */
export class SiteTurns {
  readonly #last = new Map<number, Promise<unknown>>();

  async take<T>(siteId: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(siteId) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(siteId, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(siteId) === turn) this.#last.delete(siteId);
    }
  }
}
