import type { HomePage } from './home-page.ts';
import type { PageHealth, Step } from './update.ts';

/**
 * Looks at the home page after each update of a run, so that it can be told which of them broke it. What counts is how
 * the page is in the end: an update that needs another one may break it for a moment.
 */
export class PageWatch {
  readonly #page: HomePage;
  readonly #siteId: number;
  readonly #before: number;
  /** Sent since the last look. */
  #unseen: Step[] = [];
  #brokenBy: readonly Step[] = [];
  #after: number | null = null;

  constructor(page: HomePage, siteId: number, before: number) {
    this.#page = page;
    this.#siteId = siteId;
    this.#before = before;
  }

  sent(...steps: readonly Step[]): void {
    this.#unseen.push(...steps);
  }

  /** Waits with its judgement while the site may be at work: it is in maintenance mode then. */
  async look(): Promise<void> {
    if (this.#unseen.length === 0 || this.#unseen.some(({ atWork }) => atWork)) return;
    const status = await this.#page.lookTwice(this.#siteId, this.#before);
    if (status === null) return;
    this.#after = status;
    if (!this.#page.isBroken(status, this.#before)) this.#brokenBy = [];
    else if (this.#brokenBy.length === 0) this.#brokenBy = this.#unseen;
    this.#unseen = [];
  }

  /** Null while it was not looked at. */
  get health(): PageHealth | null {
    const [before, after] = [this.#before, this.#after];
    if (after === null) return null;
    const answers = this.#page.answers(before) || this.#page.answers(after);
    return { state: this.#brokenBy.length > 0 ? 'broken' : answers ? 'well' : 'unknown', before, after };
  }

  /** The updates after which the page was broken, and stayed so; none where it is not. */
  get brokenBy(): readonly Step[] {
    return this.#brokenBy;
  }
}
