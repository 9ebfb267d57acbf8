import { MINUTE } from '../../shared/clock.ts';
import type { TimeSpan } from './time-spans.ts';

/** Period in which the scheduled checks of a monitor followed each other without a gap. */
export interface WatchedPeriod {
  since: number;
  until: number;
  /** A check after this time begins a new period, because nobody watched the site in between. */
  lapsesAt: number;
}

/** Maximum delay of the start of a due check: a run begins each minute, and starts its checks within a minute. */
const LATEST_START = 2 * MINUTE;

/**
 * Returns the latest time at which the next check can start on schedule, if the last one ended at `now`.
 * `nextCheckAt()` plans it at most one and a half intervals later.
 */
export const watchedPeriodLapsesAt = (intervalMinutes: number, now: number): number =>
  now + 1.5 * intervalMinutes * MINUTE + LATEST_START;

/**
 * Adds a scheduled check to a period. If the check came too late to continue the period, begins a new one and returns
 * the previous one as `ended`.
 */
export function continueWatchedPeriod(
  before: WatchedPeriod | null,
  { at, lapsesAt }: { at: number; lapsesAt: number },
): { watchedPeriod: WatchedPeriod; ended: TimeSpan | null } {
  if (before && at <= before.lapsesAt)
    return { watchedPeriod: { since: before.since, until: at, lapsesAt }, ended: null };
  const ended = before && before.since < before.until ? { from: before.since, until: before.until } : null;
  return { watchedPeriod: { since: at, until: at, lapsesAt }, ended };
}

/** The time since the last check counts as watched until the next check is overdue. */
export const watchedSpanOf = ({ since, until, lapsesAt }: WatchedPeriod, isPaused: boolean, now: number): TimeSpan => ({
  from: since,
  until: isPaused || now > lapsesAt ? until : Math.max(until, now),
});
