/**
 * One failed check never raises an alert; a second one in a row does. If the setting `confirmation` is on, the second
 * check follows the first one after a few seconds. Otherwise, it is the next scheduled check. `first` means that the
 * site was never checked. `pending` means that one check has failed, and the next one decides.
 */

export const MONITOR_STATES = ['first', 'up', 'pending', 'down'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

export type CheckedState = Exclude<MonitorState, 'first'>;

export interface Transition {
  state: CheckedState;
  opens: boolean;
  closes: boolean;
}

/** Number of consecutive failed checks that each state stands for. More than two make no difference. */
const FAILED_CHECKS: Record<MonitorState, 0 | 1 | 2> = { first: 0, up: 0, pending: 1, down: 2 };

export function nextMonitorState(before: MonitorState, outcomes: readonly boolean[]): Transition {
  const lost = outcomes.reduce<number>((count, isUp) => (isUp ? 0 : count + 1), FAILED_CHECKS[before]);
  const state = lost === 0 ? 'up' : lost === 1 ? 'pending' : 'down';
  return { state, opens: state === 'down' && before !== 'down', closes: before === 'down' && state !== 'down' };
}

export const withoutOpeningIncident = (step: Transition): Transition =>
  step.opens ? { state: 'pending', opens: false, closes: false } : step;

export const needsConfirmation = (before: MonitorState, isWanted: boolean): boolean =>
  isWanted && FAILED_CHECKS[before] === 0;
