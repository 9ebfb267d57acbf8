import type { HomePage } from './home-page.ts';
import type { PageHealth, Step } from './update.ts';

/**
 * Checks the home page after each update of a run, to find the one that broke it. Only the final state counts, because
 * an update that needs another one may break the page for a moment.
 */
export class PageWatch {
  readonly #page: HomePage;
  readonly #siteId: number;
  readonly #before: number;
  #unchecked: Step[] = [];
  #brokenBy: readonly Step[] = [];
  #after: number | null = null;

  constructor(page: HomePage, siteId: number, before: number) {
    this.#page = page;
    this.#siteId = siteId;
    this.#before = before;
  }

  recordSent(...steps: readonly Step[]): void {
    this.#unchecked.push(...steps);
  }

  /**
   * Checks the home page. Does nothing while the site may be working on an update, because the site is then in
   * maintenance mode.
   */
  async check(): Promise<void> {
    if (this.#unchecked.length === 0 || this.#unchecked.some(({ mayStillRun }) => mayStillRun)) return;
    const status = await this.#page.checkTwice(this.#siteId, this.#before);
    if (status === null) return;
    this.#after = status;
    if (!this.#page.isBroken(status, this.#before)) this.#brokenBy = [];
    else if (this.#brokenBy.length === 0) this.#brokenBy = this.#unchecked;
    this.#unchecked = [];
  }

  get health(): PageHealth | null {
    const [before, after] = [this.#before, this.#after];
    if (after === null) return null;
    const answers = this.#page.isResponding(before) || this.#page.isResponding(after);
    return { state: this.#brokenBy.length > 0 ? 'broken' : answers ? 'well' : 'unknown', before, after };
  }

  get brokenBy(): readonly Step[] {
    return this.#brokenBy;
  }
}
