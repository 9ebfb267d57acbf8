import { SECOND } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';

/** What a timer does and counts. Times are milliseconds since 1970. */

const TASK_STATUSES = ['idle', 'running', 'paused', 'stopped'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface Timer {
  status: TaskStatus;
  /** Of all entries that have ended, and of the corrections. */
  recordedSeconds: number;
  /** When the open entry began; null unless the timer runs. */
  runningSince: number | null;
  /** The latest moment that was put down of the task. */
  latestAt: number;
  startedAt: number | null;
  pausedAt: number | null;
  stoppedAt: number | null;
}

export const newTimer = (now: number): Timer => ({
  status: 'idle',
  recordedSeconds: 0,
  runningSince: null,
  latestAt: wholeSecond(now),
  startedAt: null,
  pausedAt: null,
  stoppedAt: null,
});

/** Moments are whole seconds, so that what is shown of entries adds up to what is counted. */
const wholeSecond = (ms: number): number => Math.floor(ms / SECOND) * SECOND;

/**
 * The moment that counts for a task. A clock that was put back stands before what was put down already; then the latest
 * moment that was put down counts, so that entries never overlap and none is shorter than nothing.
 */
export const momentOf = ({ latestAt }: Timer, now: number): number => Math.max(wholeSecond(now), latestAt);

const openSeconds = (timer: Timer, now: number): number =>
  timer.runningSince === null ? 0 : (momentOf(timer, now) - timer.runningSince) / SECOND;

/** With the open entry as far as it has come. */
export const elapsedAt = (timer: Timer, now: number): number => timer.recordedSeconds + openSeconds(timer, now);

/** The moment is the beginning of the new entry. Throws `svc_timer_already_running`. */
export function started(timer: Timer, now: number): Timer {
  if (timer.status === 'running')
    throw new ConflictError('svc_timer_already_running', 'The timer of the task runs already.');
  const moment = momentOf(timer, now);
  return {
    ...timer,
    status: 'running',
    runningSince: moment,
    latestAt: moment,
    startedAt: timer.startedAt ?? moment,
    pausedAt: null,
    stoppedAt: null,
  };
}

/** The moment is the end of the open entry. Throws `svc_timer_not_running`. */
export function paused(timer: Timer, now: number): Timer {
  if (timer.status !== 'running')
    throw new ConflictError('svc_timer_not_running', 'The timer of the task does not run.');
  const moment = momentOf(timer, now);
  return { ...closed(timer, now), status: 'paused', pausedAt: moment };
}

/** The same for good, also of a timer that is paused. Throws `svc_timer_not_running`. */
export function stopped(timer: Timer, now: number): Timer {
  if (timer.status !== 'running' && timer.status !== 'paused')
    throw new ConflictError('svc_timer_not_running', 'The timer of the task was not started, or is stopped already.');
  return { ...closed(timer, now), status: 'stopped', pausedAt: null, stoppedAt: momentOf(timer, now) };
}

const closed = (timer: Timer, now: number): Timer => ({
  ...timer,
  recordedSeconds: elapsedAt(timer, now),
  runningSince: null,
  latestAt: momentOf(timer, now),
});
