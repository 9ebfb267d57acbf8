import { MINUTE } from '../../shared/clock.ts';
import type { TimeSpan } from './time-spans.ts';

/** Time without interruption in which the scheduled checks of a monitor arrived within their interval. */
export interface Watch {
  since: number;
  until: number;
  /** Time after which a check begins a new watch, because nobody watched the site in between. */
  lapsesAt: number;
}

/** Maximum delay of the start of a due check: a run begins each minute, and starts its checks within a minute. */
const LATEST_START = 2 * MINUTE;

/**
 * Returns the latest start of the check that follows one that ended at `now`. `nextCheckAt()` leaves at most one and a
 * half intervals between them.
 */
export const watchLapsesAt = (intervalMinutes: number, now: number): number =>
  now + 1.5 * intervalMinutes * MINUTE + LATEST_START;

/**
 * Adds a scheduled check to a watch. If the check came too late to continue the watch, begins a new watch and returns
 * the previous one as `ended`.
 */
export function continueWatch(
  before: Watch | null,
  { at, lapsesAt }: { at: number; lapsesAt: number },
): { watch: Watch; ended: TimeSpan | null } {
  if (before && at <= before.lapsesAt) return { watch: { since: before.since, until: at, lapsesAt }, ended: null };
  const ended = before && before.since < before.until ? { from: before.since, until: before.until } : null;
  return { watch: { since: at, until: at, lapsesAt }, ended };
}

/** The time since the last check counts as watched until the next check is overdue. */
export const watchedSpanOf = ({ since, until, lapsesAt }: Watch, isPaused: boolean, now: number): TimeSpan => ({
  from: since,
  until: isPaused || now > lapsesAt ? until : Math.max(until, now),
});
