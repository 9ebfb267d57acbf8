import { SECOND } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';

/** State of timers. Times are milliseconds since 1970. */

const TASK_STATUSES = ['idle', 'running', 'paused', 'stopped'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface Timer {
  status: TaskStatus;
  /** Sum of all closed entries and corrections. */
  recordedSeconds: number;
  /** Start of the open entry; null unless the timer runs. */
  runningSince: number | null;
  /** Latest time that is stored for the task. */
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

/** Times are whole seconds, so that the displayed entries add up to the counted time. */
const wholeSecond = (ms: number): number => Math.floor(ms / SECOND) * SECOND;

/**
 * Returns the time to store for an event. If the clock was set back, this is the latest stored time, so that entries
 * never overlap and none has a negative duration.
 */
export const momentOf = ({ latestAt }: Timer, now: number): number => Math.max(wholeSecond(now), latestAt);

const openSeconds = (timer: Timer, now: number): number =>
  timer.runningSince === null ? 0 : (momentOf(timer, now) - timer.runningSince) / SECOND;

/** Includes the open entry. */
export const elapsedAt = (timer: Timer, now: number): number => timer.recordedSeconds + openSeconds(timer, now);

/** Starts a new entry. Throws `svc_timer_already_running`. */
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

/** Ends the open entry. Throws `svc_timer_not_running`. */
export function paused(timer: Timer, now: number): Timer {
  if (timer.status !== 'running')
    throw new ConflictError('svc_timer_not_running', 'The timer of the task does not run.');
  const moment = momentOf(timer, now);
  return { ...closed(timer, now), status: 'paused', pausedAt: moment };
}

/** Ends a timer that runs or is paused. Throws `svc_timer_not_running`. */
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
