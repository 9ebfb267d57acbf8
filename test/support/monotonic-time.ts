import type { SimulatedSite } from '../../src/sandbox/index.ts';

/** The time that durations and pauses are measured by (`performance.now()`); it stands still unless a test moves it. */
export class FakeMonotonicClock {
  ms = 0;
  readonly #sites: SimulatedSite[] = [];
  #timer: NodeJS.Timeout | undefined;

  private constructor() {}

  /** Holds it while the work is done. */
  static async hold<T>(work: (time: FakeMonotonicClock) => Promise<T>): Promise<T> {
    const time = new FakeMonotonicClock();
    const start = performance.now();
    performance.now = () => start + time.ms;
    try {
      return await work(time);
    } finally {
      // The methods of the classes lie below.
      for (const site of time.#sites) Reflect.deleteProperty(site, 'remember');
      Reflect.deleteProperty(performance, 'now');
      clearInterval(time.#timer);
    }
  }

  /** So much of it passes whenever this site has a request and has not answered it yet. */
  passAt(site: SimulatedSite, ms: number): void {
    const remember = site.remember.bind(site);
    site.remember = (entry) => {
      this.ms += ms;
      remember(entry);
    };
    this.#sites.push(site);
  }

  /** Lets it pass, slower than the timers of the machine: who is woken by one is early, and has to look again. */
  run(): void {
    this.#timer = setInterval(() => (this.ms += 1), 2);
  }
}
