import { floorToSecond, SECOND } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';

const TASK_STATUSES = ['idle', 'running', 'paused', 'stopped'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface Timer {
  status: TaskStatus;
  recordedSeconds: number;
  runningSince: number | null;
  latestAt: number;
  startedAt: number | null;
  pausedAt: number | null;
  stoppedAt: number | null;
}

export const newTimer = (now: number): Timer => ({
  status: 'idle',
  recordedSeconds: 0,
  runningSince: null,
  latestAt: floorToSecond(now),
  startedAt: null,
  pausedAt: null,
  stoppedAt: null,
});

/**
 * Returns the time to store for an event, in whole seconds, so that the displayed entries add up to the counted time.
 * If the clock was set back, this is the latest stored time, so that entries never overlap and none has a negative
 * duration.
 */
export const timeOfTimerEvent = ({ latestAt }: Timer, now: number): number => Math.max(floorToSecond(now), latestAt);

const runningSeconds = (timer: Timer, now: number): number =>
  timer.runningSince === null ? 0 : (timeOfTimerEvent(timer, now) - timer.runningSince) / SECOND;

export const elapsedSecondsAt = (timer: Timer, now: number): number =>
  timer.recordedSeconds + runningSeconds(timer, now);

export function startTimer(timer: Timer, now: number): Timer {
  if (timer.status === 'running')
    throw new ConflictError('svc_timer_already_running', 'The timer of the task is already running.');
  const moment = timeOfTimerEvent(timer, now);
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

export function pauseTimer(timer: Timer, now: number): Timer {
  if (timer.status !== 'running')
    throw new ConflictError('svc_timer_not_running', 'The timer of the task is not running.');
  const moment = timeOfTimerEvent(timer, now);
  return { ...recordRunningTime(timer, now), status: 'paused', pausedAt: moment };
}

export function stopTimer(timer: Timer, now: number): Timer {
  if (timer.status !== 'running' && timer.status !== 'paused')
    throw new ConflictError(
      'svc_timer_not_running',
      'The timer of the task was not started, or it is already stopped.',
    );
  return {
    ...recordRunningTime(timer, now),
    status: 'stopped',
    pausedAt: null,
    stoppedAt: timeOfTimerEvent(timer, now),
  };
}

const recordRunningTime = (timer: Timer, now: number): Timer => ({
  ...timer,
  recordedSeconds: elapsedSecondsAt(timer, now),
  runningSince: null,
  latestAt: timeOfTimerEvent(timer, now),
});
