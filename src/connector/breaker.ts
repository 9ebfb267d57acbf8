import { toIso, type Clock } from '../shared/clock.ts';
import { ChildUnreachableError } from '../shared/child-call-errors.ts';

/**
 * Fails calls to a site immediately while the site is known not to respond. In a call across many sites, such a site
 * then takes no slot of the scheduler and is not waited for. A call for this site alone is never refused.
 */
export interface CircuitBreaker {
  errorFor(siteId: number): ChildUnreachableError | null;
  /** Records how a call ended. `error` is null if the site responded, even with an error. */
  record(siteId: number, error: ChildUnreachableError | null): void;
  forget(siteId: number): void;
  readonly pausedCount: number;
}

const FAILURES_TO_BREAK = 3;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;

interface FailingSite {
  failures: number;
  pauseMs: number;
  retryAt: number;
  error: ChildUnreachableError;
}

/** Only failing sites use memory. Calls to one site never overlap, so a single call tries the site after a pause. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  const failing = new Map<number, FailingSite>();
  let broken = 0;

  function forget(siteId: number): void {
    if ((failing.get(siteId)?.pauseMs ?? 0) > 0) broken -= 1;
    failing.delete(siteId);
  }

  return {
    errorFor(siteId) {
      const site = failing.get(siteId);
      if (!site || site.pauseMs === 0) return null;
      const left = site.retryAt - clock.now();
      if (left <= 0) return null;
      const { layer, message, data } = site.error;
      const until = toIso(site.retryAt);
      const held = `${message} ${site.failures} calls in a row failed, so it is not called again before ${until}.`;
      return new ChildUnreachableError(layer, held, {
        ...data,
        outcome: 'not_run',
        retry_after_seconds: Math.ceil(left / 1000),
      });
    },
    record(siteId, error) {
      if (!error) return forget(siteId);
      const site = failing.get(siteId) ?? { failures: 0, pauseMs: 0, retryAt: 0, error };
      site.failures += 1;
      site.error = error;
      // During a pause, only calls for this site alone are sent. Their failures do not extend the pause.
      const isPaused = site.retryAt > clock.now();
      if (site.failures >= FAILURES_TO_BREAK && !isPaused) {
        if (site.pauseMs === 0) broken += 1;
        site.pauseMs = site.pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(site.pauseMs * 2, LONGEST_PAUSE_MS);
        site.retryAt = clock.now() + site.pauseMs;
      }
      failing.set(siteId, site);
    },
    forget,
    get pausedCount() {
      return broken;
    },
  };
}
