import type { HomePageCheck } from './home-page-check.ts';
import type { PageHealth, UpdateStep } from './update.ts';

/**
 * Checks the home page after each update of a run, to find the one that broke it. Only the final state counts, because
 * an update that needs another one may break the page for a moment.
 */
export class HomePageWatch {
  readonly #page: HomePageCheck;
  readonly #siteId: number;
  readonly #before: number;
  #unchecked: UpdateStep[] = [];
  #brokenBy: readonly UpdateStep[] = [];
  #after: number | null = null;

  constructor(page: HomePageCheck, siteId: number, before: number) {
    this.#page = page;
    this.#siteId = siteId;
    this.#before = before;
  }

  recordSent(...steps: readonly UpdateStep[]): void {
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

  get brokenBy(): readonly UpdateStep[] {
    return this.#brokenBy;
  }
}
