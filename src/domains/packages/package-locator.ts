import { MINUTE, SECOND } from '../../shared/clock.ts';
import { ConcurrencyLimiter } from '../../shared/concurrency-limiter.ts';
import type { PackagePlace } from '../updates/index.ts';
import { attemptCall } from '../sites/index.ts';
import type { PackageRef } from './package.ts';
import type { PackageDirectory } from './package-directory.ts';

const CONCURRENT = 8;
/** Time for all requests of one `asker()`. If the directory has not answered by then, the place is `unknown`. */
const DEADLINE_MS = 10 * SECOND;
const KEPT_FOR = 5 * MINUTE;
const MAX_KEPT = 10_000;

/**
 * Asks the WordPress.org directory which versions it has, without downloading them. Answers are kept for five minutes.
 */
export class PackageLocator {
  readonly #directory: Pick<PackageDirectory, 'addressOf' | 'has'>;
  readonly #deadlineMs: number;
  readonly #limiter = new ConcurrencyLimiter(CONCURRENT);
  readonly #answers = new Map<string, { at: number; isThere: boolean }>();

  constructor(directory: Pick<PackageDirectory, 'addressOf' | 'has'>, deadlineMs: number = DEADLINE_MS) {
    this.#directory = directory;
    this.#deadlineMs = deadlineMs;
  }

  asker(): (ref: PackageRef) => Promise<PackagePlace> {
    const endsAt = performance.now() + this.#deadlineMs;
    const asked = new Map<string, Promise<PackagePlace>>();
    return (ref) => {
      const address = this.#directory.addressOf(ref);
      const place = asked.get(address) ?? this.#ask(address, endsAt);
      asked.set(address, place);
      return place;
    };
  }

  async #ask(address: string, endsAt: number): Promise<PackagePlace> {
    const known = this.#answers.get(address);
    if (known && performance.now() - known.at < KEPT_FOR) return placeOf(known.isThere);
    return this.#limiter.run(async () => {
      const deadlineMs = Math.floor(endsAt - performance.now());
      if (deadlineMs <= 0) return 'unknown';
      const { value: isThere } = await attemptCall(() => this.#directory.has(address, deadlineMs));
      if (isThere === null) return 'unknown';
      if (this.#answers.size >= MAX_KEPT) this.#answers.clear();
      this.#answers.set(address, { at: performance.now(), isThere });
      return placeOf(isThere);
    });
  }
}

const placeOf = (isThere: boolean): PackagePlace => (isThere ? 'directory' : 'none');
