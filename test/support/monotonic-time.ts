import type { SimulatedSite } from '../../src/sandbox/index.ts';

/** Replaces `performance.now()`, which measures durations and pauses. The time only moves when a test moves it. */
export class FakeMonotonicClock {
  ms = 0;
  readonly #sites: SimulatedSite[] = [];
  #timer: NodeJS.Timeout | undefined;

  private constructor() {}

  /** Replaces the clock during the work. */
  static async hold<T>(work: (time: FakeMonotonicClock) => Promise<T>): Promise<T> {
    const time = new FakeMonotonicClock();
    const start = performance.now();
    performance.now = () => start + time.ms;
    try {
      return await work(time);
    } finally {
      // This makes the methods of the classes visible again.
      for (const site of time.#sites) Reflect.deleteProperty(site, 'remember');
      Reflect.deleteProperty(performance, 'now');
      clearInterval(time.#timer);
    }
  }

  /** Moves the time by `ms` at each request of this site, before the site answers. */
  passAt(site: SimulatedSite, ms: number): void {
    const remember = site.remember.bind(site);
    site.remember = (entry) => {
      this.ms += ms;
      remember(entry);
    };
    this.#sites.push(site);
  }

  /**
   * Moves the time more slowly than the timers of the machine, so that a timer fires early and its code must check
   * again.
   */
  run(): void {
    this.#timer = setInterval(() => (this.ms += 1), 2);
  }
}
